import { useRef } from "preact/hooks";
import { ModelNotes, NumbersCard } from "../../../lib/bench/ModelNotes";
import { RunLine } from "../../../lib/bench/RunLine";
import { squareKey } from "../../../lib/bench/squares";
import { spotNow } from "../../../lib/bench/tested";
import { Verdict } from "../../../lib/bench/Verdict";
import { useFont, useWidth } from "../../../lib/hooks";
import { Explorer } from "../morph/Explorer";
import { runOf, type Store, type View } from "../store";
import { many, rangeText, scoreText } from "../texts";
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
  const step = (by: -1 | 1) => {
    const spot = spotNow(store.view);
    const model = table.models.find((m) => m.name === spot?.model);
    const cell = spot && model?.squares.places.get(spot.id);
    if (!spot || !model || !cell) return;
    const key = by > 0 ? "ArrowRight" : "ArrowLeft";
    const to = squareKey(key, cell, model.squares.rows, table.g.raster);
    const image = to && model.squares.images[to.row]?.[to.at];
    if (image) store.point({ id: image, model: spot.model });
  };
  return (
    <>
      <div class="body">
        <Verdict store={store} view={headline(view)} />
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

/** Before the first test the headline tells what pressing Test asks; its button stands below. */
function headline(view: View): View {
  const { answer } = view;
  if (answer.state === "ready") return view;
  const { models } = view.inputs;
  const { title, text, actions } = answer.message ?? {
    title: "Nothing has been tested yet",
    text: `${models.join(" and ") || "No model"}: ${many(view.images.images.length, "picture")}, every concept of both lists.`,
    actions: [],
  };
  const others = actions.filter((action) => action.command !== "test");
  return { ...view, answer: { ...answer, message: { title, text, actions: others } } };
}
