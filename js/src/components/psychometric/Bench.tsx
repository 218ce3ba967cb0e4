import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Mount } from "../../host";
import { useWidth } from "../../lib/hooks";
import type { Theme } from "../../lib/theme";
import { Announcer } from "./Announcer";
import { Dock } from "./Dock";
import { Footer } from "./Footer";
import { Header } from "./Header";
import { Picture } from "./picture/Picture";
import { Rail } from "./Rail";
import type { Store, View } from "./store";
import { Verdict } from "./Verdict";

/** Below this width the rail folds above the picture. */
const NARROW = 720;

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

export function Bench({ store, onTheme }: Props) {
  const root = useRef<HTMLElement>(null);
  const picture = useRef<SVGSVGElement>(null);
  const [theme, setTheme] = useState<Theme>("light");
  const view = useView(store);
  const width = useWidth(root, 960);
  useLayoutEffect(() => onTheme(setTheme), [onTheme]);
  usePainted(root, view.answer.generation, view.answer);

  return (
    <article
      ref={root}
      class={`bench ${width < NARROW ? "narrow" : "wide"} ${width < 520 ? "small" : width < 800 ? "medium" : ""}`}
      data-testid="bench"
      data-theme={theme}
      data-state={view.answer.state}
      data-waiting={view.waiting ? "" : undefined}
      aria-label="Psychometric explorer"
      onKeyDown={(event) => {
        if (event.key === "Escape" && view.pinned !== null) store.pin(null);
      }}
    >
      <Header view={view} />
      <div class="middle">
        <Rail store={store} view={view} />
        <div class="main">
          <Verdict store={store} view={view} />
          <Picture store={store} view={view} svg={picture} />
        </div>
      </div>
      <Dock store={store} view={view} />
      <Footer store={store} view={view} picture={picture} />
      <Announcer view={view} />
    </article>
  );
}

function useView(store: Store): View {
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
function usePainted(
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
