import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { clamp, type Scale } from "../scale";

interface Handled {
  /** The stimulus axis, in the units of the drawing. */
  x: Scale;
  svg: RefObject<SVGSVGElement | null>;
  /** To what a place is rounded. */
  step: number;
  get: () => number;
  set: (to: number) => void;
  onDrag: (dragging: boolean) => void;
}

/** Moves the stimulus under the hand, and remembers where it was, for Esc. */
export function useHandle({ x, svg, step, get, set, onDrag }: Handled) {
  const before = useRef<number | null>(null);
  const grip = useRef(0);
  const [pointer, setPointer] = useState<number | null>(null);

  const place = (event: PointerEvent) => {
    const drawing = svg.current;
    if (!drawing) return get();
    const box = drawing.getBoundingClientRect();
    // The page, or a slide, may be scaled.
    const zoom = box.width / Number(drawing.getAttribute("width"));
    const pixel = (event.clientX - box.left) / (zoom || 1) - grip.current;
    const steps = Math.round(1 / step);
    return Math.round(clamp(x.invert(pixel), 0, 1) * steps) / steps;
  };
  const end = () => {
    setPointer(null);
    onDrag(false);
  };
  const undo = () => {
    if (before.current === null) return false;
    set(before.current);
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

  return {
    undo,
    remember: () => {
      before.current ??= get();
    },
    forget: () => {
      before.current = null;
    },
    events: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        const target = event.currentTarget as SVGElement;
        target.setPointerCapture(event.pointerId);
        before.current = get();
        // Taken by its rim the handle does not jump; a press on the axis brings it there.
        grip.current = 0;
        if (!target.classList.contains("axis-hit")) {
          const offset = x(place(event)) - x(get());
          grip.current = Math.abs(offset) < 16 ? offset : 0;
        }
        setPointer(event.pointerId);
        onDrag(true);
        set(place(event));
        svg.current?.querySelector<SVGElement>("[role=slider]")?.focus({ preventScroll: true });
        event.preventDefault();
      },
      onPointerMove: (event: PointerEvent) => {
        if (event.pointerId === pointer) set(place(event));
      },
      onPointerUp: (event: PointerEvent) => {
        if (event.pointerId === pointer) end();
      },
      onPointerCancel: (event: PointerEvent) => {
        if (event.pointerId === pointer) end();
      },
    },
  };
}
