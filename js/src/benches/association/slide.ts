/** Between two steps the picture slides; under reduced motion it jumps. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const MILLISECONDS = 150;

/** A value that follows `to` within 150 ms. */
export function useSlide(to: number): number {
  const [at, setAt] = useState(to);
  const now = useRef(to);
  useLayoutEffect(() => {
    const from = now.current;
    if (from === to) return;
    const put = (value: number) => {
      now.current = value;
      setAt(value);
    };
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return put(to);
    const start = performance.now();
    let frame = 0;
    const move = (time: number) => {
      const share = Math.min(1, Math.max(0, (time - start) / MILLISECONDS));
      put(share === 1 ? to : from + (to - from) * easeOut(share));
      if (share < 1) frame = requestAnimationFrame(move);
    };
    frame = requestAnimationFrame(move);
    return () => cancelAnimationFrame(frame);
  }, [to]);
  return at;
}

const easeOut = (share: number) => 1 - (1 - share) ** 2;

export const between = (from: number, to: number, share: number) => from + (to - from) * share;
