/** Dragging chips with mouse, pen or finger, within a list and between lists. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Model } from "./model";

/** Pixels that a hand may tremble before it is a drag. */
const STILL = 5;
/** A finger that moves at once scrolls; one that rests so long, in milliseconds, drags. */
const REST = 280;
/** Pixels from a box's edge in which it scrolls under a drag. */
const EDGE = 24;

interface Held {
  pointer: number;
  x: number;
  y: number;
  position: number;
  touch: boolean;
  timer: number;
}

/** Handlers for a box of chips; `boxOf` the editor's element that holds all boxes. */
export function useChipDrag(
  model: Model,
  list: number,
  box: RefObject<HTMLElement | null>,
  editor: RefObject<HTMLElement | null>,
) {
  const held = useRef<Held | null>(null);
  const frame = useRef(0);

  const begin = (x: number, y: number) => {
    const from = held.current;
    if (!from) return;
    box.current?.setPointerCapture(from.pointer);
    model.dragging({ list, positions: model.targets(list, from.position), over: null, x, y });
    follow(x, y);
  };
  const follow = (x: number, y: number) => {
    const drag = model.view.drag;
    if (!drag) return;
    model.dragging({ ...drag, x, y, over: placeAt(editor.current, x, y) });
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      if (model.view.drag && scrollUnder(editor.current, x, y)) follow(x, y);
    });
  };
  const end = () => {
    if (held.current) clearTimeout(held.current.timer);
    held.current = null;
    cancelAnimationFrame(frame.current);
  };

  useEffect(() => {
    const node = box.current;
    // Not passive: a resting finger's drag must not scroll the page as well.
    const stop = (event: TouchEvent) => {
      if (model.view.drag && event.cancelable) event.preventDefault();
    };
    node?.addEventListener("touchmove", stop, { passive: false });
    return () => {
      node?.removeEventListener("touchmove", stop);
      end();
    };
  }, [model]);

  return {
    onPointerDown(event: PointerEvent) {
      const chip = (event.target as Element).closest<HTMLElement>("[data-position]");
      if (!chip || event.button !== 0 || (event.target as Element).closest("input")) return;
      end();
      const touch = event.pointerType === "touch";
      const { clientX: x, clientY: y, pointerId: pointer } = event;
      const timer = touch ? window.setTimeout(() => begin(x, y), REST) : 0;
      held.current = { pointer, x, y, position: Number(chip.dataset.position), touch, timer };
    },
    onPointerMove(event: PointerEvent) {
      const from = held.current;
      if (!from || event.pointerId !== from.pointer) return;
      const { clientX: x, clientY: y } = event;
      if (model.view.drag) return follow(x, y);
      if (Math.hypot(x - from.x, y - from.y) < STILL) return;
      if (from.touch) end();
      else begin(x, y);
    },
    onPointerUp() {
      end();
      if (model.view.drag) model.drop();
    },
    onPointerCancel() {
      end();
      if (model.view.drag) model.dragging(null);
    },
  };
}

/** Before which term of which list a point is. */
function placeAt(editor: HTMLElement | null, x: number, y: number) {
  const root = editor?.getRootNode() as Document | ShadowRoot | undefined;
  const hit = root?.elementFromPoint?.(x, y);
  const card = hit?.closest<HTMLElement>("[data-list]");
  if (!hit || !card || !editor?.contains(card)) return null;
  const list = Number(card.dataset.list);
  let before = Number(card.dataset.count);
  for (const chip of card.querySelectorAll<HTMLElement>("[data-position]")) {
    const at = chip.getBoundingClientRect();
    // In reading order: the first chip that the point is left of, in its row or above it.
    if (y < at.top - 3 || (y <= at.bottom + 3 && x < at.left + at.width / 2)) {
      before = Number(chip.dataset.position);
      break;
    }
    before = Number(chip.dataset.position) + 1;
  }
  return { list, before };
}

function scrollUnder(editor: HTMLElement | null, x: number, y: number): boolean {
  const root = editor?.getRootNode() as Document | ShadowRoot | undefined;
  const box = root?.elementFromPoint?.(x, y)?.closest<HTMLElement>(".chips");
  if (!box) return false;
  const { top, bottom } = box.getBoundingClientRect();
  const by = y < top + EDGE ? -8 : y > bottom - EDGE ? 8 : 0;
  const before = box.scrollTop;
  box.scrollTop += by;
  return box.scrollTop !== before;
}
