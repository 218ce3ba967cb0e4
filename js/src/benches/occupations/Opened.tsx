import { useEffect, useRef, useState } from "preact/hooks";
import type { Store, View } from "./store";

/** In a notebook: the psychometric bench's own widget, below the bench. */
export function Opened({ store, view }: { store: Store; view: View }) {
  const { opened, psychometric } = view;
  const place = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const el = place.current;
    if (!opened || !psychometric || !el) return;
    let takeAway: (() => void) | null = null;
    let left = false;
    setProblem("");
    store.to.child(psychometric, el).then(
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
  }, [opened, psychometric]);
  if (!opened) return null;
  return (
    <section class="opened" aria-label="Psychometric bench" data-testid="opened">
      <header class="panel-head wrap-row">
        <h2>Psychometric bench</h2>
        <button
          type="button"
          class="button plain"
          data-testid="close-opened"
          onClick={() => store.close()}
        >
          Close
        </button>
      </header>
      <div ref={place} />
      {problem && (
        <p class="problem-line" role="alert">
          It cannot be shown here: {problem} In Python it is <code>bench.psychometric_bench</code>.
        </p>
      )}
    </section>
  );
}
