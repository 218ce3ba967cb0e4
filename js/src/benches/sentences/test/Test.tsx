import { useRef } from "preact/hooks";
import { ModelNotes, NumbersCard } from "../../../lib/bench/ModelNotes";
import { RunLine } from "../../../lib/bench/RunLine";
import { spotNow } from "../../../lib/bench/tested";
import { Verdict } from "../../../lib/bench/Verdict";
import { many } from "../../../lib/format";
import { useFont, useWidth } from "../../../lib/hooks";
import { headline } from "../../../lib/three-steps/headline";
import { besideSpot } from "../../../lib/three-steps/rows";
import { runOf, type Store, type View } from "../store";
import { Dock } from "./Dock";
import { Failures } from "./Failures";
import { Panels } from "./Panels";
import { ScoreAxis } from "./ScoreAxis";
import { Tools } from "./Tools";
import { useTable } from "./table";

/** Step 3: which version each model finds more probable, over all, by attribute, by pair. */
export function Test({ store, view }: { store: Store; view: View }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 918);
  const font = useFont(box);
  const table = useTable(view, width, font);
  const run = runOf(view);
  const models = view.answer.picture?.models ?? [];
  const asked = `both versions of ${many(view.sentences.pairs.length, "pair")} are scored`;
  const step = (by: -1 | 1) => {
    const to = besideSpot(table.models, table.g.raster, spotNow(store.view), by);
    if (to) store.point(to);
  };
  return (
    <>
      <div class="body">
        <Verdict store={store} view={headline(view, asked)} />
        <ScoreAxis view={view} />
        <ModelNotes
          store={store}
          models={models}
          comparisons={view.answer.picture?.comparisons ?? []}
          expected={view.inputs.models.length}
        />
        <RunLine
          store={store}
          view={view}
          run={run}
          left={run.unscored}
          done={models.filter((m) => m.state === "done").length}
          same="same sentences"
          disabled={view.inputs.models.length === 0 || view.sentences.pairs.length === 0}
        >
          <NumbersCard
            models={models}
            text="Numbers and formulas"
            before={({ scorer_label, formula }) => (
              <p class="formula column t11">
                <span>{scorer_label}</span> <code>{formula}</code>
              </p>
            )}
          />
        </RunLine>
      </div>
      <div class="results">
        <Tools store={store} view={view} />
        <div ref={box}>
          <Panels store={store} view={view} table={table} />
        </div>
        <Failures store={store} view={view} />
      </div>
      <Dock store={store} view={view} scored={table.scored} onStep={step} />
    </>
  );
}
