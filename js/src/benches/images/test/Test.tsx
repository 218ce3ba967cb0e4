import { useRef } from "preact/hooks";
import { ModelNotes, NumbersCard } from "../../../lib/bench/ModelNotes";
import { RunLine } from "../../../lib/bench/RunLine";
import { spotNow } from "../../../lib/bench/tested";
import { Verdict } from "../../../lib/bench/Verdict";
import { many } from "../../../lib/format";
import { useFont, useWidth } from "../../../lib/hooks";
import { headline } from "../../../lib/three-steps/headline";
import { besideSpot } from "../../../lib/three-steps/rows";
import { Explorer } from "../morph/Explorer";
import { runOf, type Store, type View } from "../store";
import { rangeText, scoreText } from "../texts";
import { Card } from "./Card";
import { Panels } from "./Panels";
import { Tools } from "./Tools";
import { useTable } from "./table";

/** Step 3: which words each model pairs with the pictures, over all, by term, by picture. */
export function Test({ store, view }: { store: Store; view: View }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 590);
  const font = useFont(box);
  const table = useTable(view, width, font);
  const { picture } = view.answer;
  const models = picture?.models ?? [];
  const run = runOf(view);
  const asked = `${many(view.images.images.length, "picture")}, every concept of both lists`;
  const step = (by: -1 | 1) => {
    const to = besideSpot(table.models, table.g.raster, spotNow(store.view), by);
    if (to) store.point(to);
  };
  return (
    <>
      <div class="body">
        <Verdict store={store} view={headline(view, asked)} />
        <ModelNotes
          store={store}
          models={models}
          comparisons={picture?.comparisons ?? []}
          expected={view.inputs.models.length}
        />
        <RunLine
          store={store}
          view={view}
          run={run}
          left={run.untested}
          done={models.filter((m) => m.state === "done").length}
          same="same pictures"
          disabled={view.inputs.models.length === 0 || view.images.images.length === 0}
        >
          <NumbersCard
            models={models}
            text="Numbers and questions"
            before={({ templates, unasked }) => (
              <ul>
                {templates.map(([text, score]) => (
                  <li key={text} data-testid="template-score" data-score={score.score}>
                    {text} <b>{scoreText(score)}</b> <span class="quiet">{rangeText(score)}</span>
                  </li>
                ))}
                {unasked.map(([concept, why]) => (
                  <li key={concept} class="warn-text" data-testid="unasked">
                    {concept}: {why}
                  </li>
                ))}
              </ul>
            )}
          />
        </RunLine>
      </div>
      <div class="results">
        <Tools store={store} view={view} />
        <div class="results-body">
          <div ref={box}>
            <Panels store={store} view={view} table={table} />
          </div>
          <Card store={store} view={view} table={table} onStep={step} />
        </div>
      </div>
      <Explorer store={store} view={view} />
    </>
  );
}
