import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** The width of an element in CSS pixels, followed live; `initial` until it is known. */
export function useWidth(ref: RefObject<HTMLElement | null>, initial: number): number {
  const [width, setWidth] = useState(initial);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      if (element.clientWidth > 0) setWidth(element.clientWidth);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}

/** Whether `active` has lasted for `delay` milliseconds: no spinner for what is nearly done. */
export function useLasting(active: boolean, delay: number): boolean {
  const [lasting, setLasting] = useState(false);
  useLayoutEffect(() => {
    if (!active) {
      setLasting(false);
      return;
    }
    const timer = setTimeout(() => setLasting(true), delay);
    return () => clearTimeout(timer);
  }, [active, delay]);
  return lasting;
}
