import { useEffect, useRef, useState } from "preact/hooks";
import type { Store, View } from "./store";

/** In a notebook: the explorer's own widget, below the bench. */
export function Opened({ store, view }: { store: Store; view: View }) {
  const { opened, explorer } = view;
  const place = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const el = place.current;
    if (!opened || !explorer || !el) return;
    let takeAway: (() => void) | null = null;
    let left = false;
    setProblem("");
    store.to.child(explorer, el).then(
      (done) => {
        if (left) return done();
        takeAway = done;
        el.scrollIntoView?.({ block: "nearest" });
      },
      (error) => setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      left = true;
      takeAway?.();
    };
  }, [opened, explorer]);
  if (!opened) return null;
  return (
    <section class="opened" aria-label="Explorer" data-testid="opened">
      <header class="panel-head">
        <h3>In the explorer</h3>
        <button
          type="button"
          class="button plain"
          data-testid="close-explorer"
          onClick={() => store.close()}
        >
          Close
        </button>
      </header>
      <div ref={place} />
      {problem && (
        <p class="problem-line" role="alert">
          It cannot be shown here: {problem} In Python it is <code>bench.explorer_bench</code>.
        </p>
      )}
    </section>
  );
}
