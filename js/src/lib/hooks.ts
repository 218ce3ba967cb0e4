import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { measureAs } from "./textwidth";

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

/**
 * The font that texts are measured in, that of an element: known once it is on the page, and another
 * when a font that had to be loaded arrives.
 */
export function useFont(ref: RefObject<Element | null>): string {
  const [font, setFont] = useState("");
  const measure = () => {
    if (ref.current) setFont(measureAs(ref.current));
  };
  useLayoutEffect(measure, []);
  // After the paint: a style that is read before makes the browser compute all of them at once.
  useEffect(measure);
  useLayoutEffect(() => {
    document.fonts?.addEventListener("loadingdone", measure);
    return () => document.fonts?.removeEventListener("loadingdone", measure);
  }, []);
  return font;
}
