import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Place } from "./corners";

interface Dragged {
  svg: RefObject<SVGSVGElement | null>;
  /** Shares of a block now, and new ones. */
  get: (block: number) => readonly number[];
  set: (block: number, shares: readonly number[]) => void;
  /** The shares at a place of the drawing, for what was taken. */
  sharesAt: (what: number, at: Place) => number[] | null;
  onDrag: (block: number | null) => void;
}

/** Moves the input of a block under the hand, and remembers where it was, for Esc. */
export function useDrag({ svg, get, set, sharesAt, onDrag }: Dragged) {
  const before = useRef<{ block: number; shares: readonly number[] } | null>(null);
  const [held, setHeld] = useState<{ pointer: number; block: number; what: number } | null>(null);

  const move = (event: PointerEvent, block: number, what: number) => {
    const drawing = svg.current;
    if (!drawing) return;
    const box = drawing.getBoundingClientRect();
    // The page, or a slide, may be scaled.
    const zoom = box.width / Number(drawing.getAttribute("width")) || 1;
    const at = { x: (event.clientX - box.left) / zoom, y: (event.clientY - box.top) / zoom };
    const shares = sharesAt(what, at);
    const now = get(block);
    if (shares?.some((share, i) => share !== now[i])) set(block, shares);
  };
  const end = () => {
    setHeld(null);
    onDrag(null);
  };
  const undo = (block: number) => {
    const was = before.current;
    if (was?.block !== block) return false;
    set(block, was.shares);
    before.current = null;
    end();
    return true;
  };

  // Esc undoes a drag wherever the focus is.
  useEffect(() => {
    if (!held) return;
    const onEscape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      undo(held.block);
    };
    document.addEventListener("keydown", onEscape, true);
    return () => document.removeEventListener("keydown", onEscape, true);
  });

  return {
    undo,
    remember: (block: number) => {
      if (before.current?.block !== block) before.current = { block, shares: get(block) };
    },
    forget: () => {
      before.current = null;
    },
    /** Handlers of a handle; `what` tells which of a block's handles it is. */
    eventsOf: (block: number, what = block) => ({
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        const target = event.currentTarget as SVGElement;
        target.setPointerCapture?.(event.pointerId);
        before.current = { block, shares: get(block) };
        setHeld({ pointer: event.pointerId, block, what });
        onDrag(block);
        target.focus({ preventScroll: true });
        event.preventDefault();
      },
      onPointerMove: (event: PointerEvent) => {
        if (event.pointerId === held?.pointer) move(event, block, what);
      },
      onPointerUp: (event: PointerEvent) => {
        if (event.pointerId === held?.pointer) end();
      },
      onPointerCancel: (event: PointerEvent) => {
        if (event.pointerId === held?.pointer) end();
      },
    }),
  };
}
