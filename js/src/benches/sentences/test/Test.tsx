import { useRef } from "preact/hooks";
import { ModelNotes, NumbersCard } from "../../../lib/bench/ModelNotes";
import { RunLine } from "../../../lib/bench/RunLine";
import { squareKey } from "../../../lib/bench/squares";
import { spotNow } from "../../../lib/bench/tested";
import { Verdict } from "../../../lib/bench/Verdict";
import { useFont, useWidth } from "../../../lib/hooks";
import { runOf, type Store, type View } from "../store";
import { many } from "../texts";
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
  const step = (by: -1 | 1) => {
    const spot = spotNow(store.view);
    const model = table.models.find((m) => m.name === spot?.model);
    const cell = spot && model?.squares.places.get(spot.id);
    if (!spot || !model || !cell) return;
    const key = by > 0 ? "ArrowRight" : "ArrowLeft";
    const to = squareKey(key, cell, model.squares.rows, table.g.raster);
    const pair = to && model.squares.pairs[to.row]?.[to.at];
    if (pair) store.point({ id: pair, model: spot.model });
  };
  return (
    <>
      <div class="body">
        <Verdict store={store} view={headline(view)} />
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
              <p class="formula">
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

/** Before the first test the headline tells what pressing Test asks; its button stands below. */
function headline(view: View): View {
  const { answer } = view;
  if (answer.state === "ready") return view;
  const { models } = view.inputs;
  const pairs = many(view.sentences.pairs.length, "pair");
  const { title, text, actions } = answer.message ?? {
    title: "Nothing has been tested yet",
    text: `${models.join(" and ") || "No model"}: both versions of ${pairs} are scored.`,
    actions: [],
  };
  const others = actions.filter((action) => action.command !== "test");
  return { ...view, answer: { ...answer, message: { title, text, actions: others } } };
}
