import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

interface Viewed<V> {
  view: V;
  subscribe(listener: () => void): () => void;
}

/** The newest view of a store; the component draws anew with each. */
export function useView<V>(store: Viewed<V>): V {
  const [view, setView] = useState(store.view);
  useLayoutEffect(() => {
    setView(store.view);
    return store.subscribe(() => setView(store.view));
  }, [store]);
  return view;
}

/**
 * Tells the outside when an answer is on the screen: `data-generation` at once, the event
 * `biaslab:painted` in the frame that paints it. Tests and the latency benchmark listen.
 */
export function usePainted(
  root: RefObject<HTMLElement | null>,
  generation: number,
  answer: unknown,
): void {
  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return;
    element.dataset.generation = String(generation);
    const committed = performance.now();
    const frame = requestAnimationFrame(() => {
      const time = performance.now();
      performance.mark("biaslab:painted", { detail: { generation } });
      const detail = { generation, committed, time };
      element.dispatchEvent(
        new CustomEvent("biaslab:painted", { detail, bubbles: true, composed: true }),
      );
    });
    return () => cancelAnimationFrame(frame);
  }, [generation, answer]);
}
