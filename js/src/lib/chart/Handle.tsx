import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** A place of a drawing that takes the pointer for its handle. */
export interface Hit {
  x: number;
  y: number;
  width: number;
  height: number;
  /** A press on the axis brings the handle there; by its guide it is taken where it is. */
  look: "axis-hit" | "guide-hit";
}

interface Props<V> {
  svg: RefObject<SVGSVGElement | null>;
  /** Where it stands. */
  x: number;
  y: number;
  get: () => V;
  set: (to: V) => void;
  /** The value at a place of the drawing. */
  at: (x: number, y: number) => V | null;
  /** Where a key moves it; null for any other key. */
  move: (event: KeyboardEvent) => V | null;
  /** Up and down go through what it belongs to. */
  onStep?: (by: -1 | 1) => void;
  onDrag: (dragging: boolean) => void;
  onFocused?: (focused: boolean) => void;
  onPointerEnter?: () => void;
  onPointerLeave?: () => void;
  /** What a screen reader says of it. */
  label: string;
  value: { min: number; now: number; max: number; text: string };
  hits?: readonly Hit[];
  look?: string;
  tabindex?: number;
  /** Its shape, where it is not a knob. */
  children?: ComponentChildren;
  [attribute: `data-${string}` | `aria-${string}`]: unknown;
}

/** A slider in a drawing: it is dragged, moved by keys, and brought back by Esc. */
export function Handle<V>(props: Props<V>) {
  const { svg, x, y, get, set, at, move, onStep, onDrag, onFocused, ...more } = props;
  const { label, value, hits = [], look = "", tabindex = 0, children, ...rest } = more;
  const own = useRef<SVGGElement>(null);
  const before = useRef<{ was: V } | null>(null);
  const grip = useRef({ x: 0, y: 0 });
  const [pointer, setPointer] = useState<number | null>(null);

  const placeOf = (event: PointerEvent) => {
    const drawing = svg.current!;
    const box = drawing.getBoundingClientRect();
    // The page, or a slide, may be scaled.
    const zoom = box.width / Number(drawing.getAttribute("width")) || 1;
    return { x: (event.clientX - box.left) / zoom, y: (event.clientY - box.top) / zoom };
  };
  const follow = (event: PointerEvent) => {
    const place = placeOf(event);
    const to = at(place.x - grip.current.x, place.y - grip.current.y);
    if (to !== null) set(to);
  };
  const end = () => {
    setPointer(null);
    onDrag(false);
  };
  const undo = () => {
    if (!before.current) return false;
    set(before.current.was);
    before.current = null;
    end();
    return true;
  };
  // Esc undoes a drag wherever the focus is.
  useEffect(() => {
    if (pointer === null) return;
    const onEscape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      undo();
    };
    document.addEventListener("keydown", onEscape, true);
    return () => document.removeEventListener("keydown", onEscape, true);
  });

  const take = (event: PointerEvent, isAxis: boolean) => {
    if (event.button !== 0) return;
    (event.currentTarget as SVGElement).setPointerCapture?.(event.pointerId);
    before.current = { was: get() };
    const place = placeOf(event);
    // Taken by its rim the handle does not jump.
    grip.current = isAxis ? { x: 0, y: 0 } : { x: place.x - x, y: place.y - y };
    setPointer(event.pointerId);
    onDrag(true);
    if (isAxis) follow(event);
    own.current?.focus({ preventScroll: true });
    event.preventDefault();
  };
  const ifMine = (act: (event: PointerEvent) => void) => (event: PointerEvent) => {
    if (event.pointerId === pointer) act(event);
  };
  const events = (isAxis: boolean) => ({
    onPointerDown: (event: PointerEvent) => take(event, isAxis),
    onPointerMove: ifMine(follow),
    onPointerUp: ifMine(end),
    onPointerCancel: ifMine(end),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = onStep && ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key as "ArrowUp"];
    const to = step ? null : move(event);
    if (step) onStep(step);
    else if (to !== null) {
      before.current ??= { was: get() };
      set(to);
    } else if (event.key !== "Escape" || !undo()) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      {hits.map(({ look, ...box }) => (
        <rect
          key={look}
          class={`hit ${look}`}
          data-screen-only=""
          {...box}
          {...events(look === "axis-hit")}
        />
      ))}
      <g
        ref={own}
        class={`handle ${look} ${pointer === null ? "" : "dragging"}`}
        role="slider"
        tabindex={tabindex}
        aria-label={label}
        aria-valuemin={value.min}
        aria-valuemax={value.max}
        aria-valuenow={value.now}
        aria-valuetext={value.text}
        transform={`translate(${x} ${y})`}
        onKeyDown={onKeyDown}
        onFocus={() => onFocused?.(true)}
        onBlur={() => {
          before.current = null;
          onFocused?.(false);
        }}
        {...rest}
        {...events(false)}
      >
        {children ?? <Knob />}
      </g>
    </>
  );
}

const Knob = () => (
  <>
    <circle class="halo-ring" r={15} data-screen-only="" />
    <circle class="focus-ring" r={13.5} data-screen-only="" />
    <circle class="knob" r={9} />
    <path class="grip" d="M-2 -3v6M2 -3v6" />
  </>
);
