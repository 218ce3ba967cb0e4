import { useMemo, useRef } from "preact/hooks";
import { many } from "../../../lib/format";
import { useFont, useWidth } from "../../../lib/hooks";
import { TestHead } from "../../../lib/three-steps/TestHead";
import { Tools } from "../../../lib/three-steps/Tools";
import { Explorer } from "../morph/Explorer";
import type { Store, View } from "../store";
import { FILTERS, rangeText, scoreText } from "../texts";
import { Card } from "./Card";
import { Panels } from "./Panels";
import { outcomeCounts } from "./rows";
import { useTable } from "./table";

const ORDERS = [
  { value: "list score", label: "by group, squares by score" },
  { value: "list place", label: "by group, pictures in one place" },
  { value: "score score", label: "by score" },
  { value: "name score", label: "by name" },
] as const;

/** Step 3: which words each model pairs with the pictures, over all, by term, by picture. */
export function Test({ store, view }: { store: Store; view: View }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 590);
  const font = useFont(box);
  const table = useTable(view, width, font);
  const { scores, inputs } = view;
  const counts = useMemo(() => outcomeCounts({ scores, inputs }), [scores, inputs.models]);
  const pictures = view.images.images.length;
  return (
    <>
      <TestHead
        store={store}
        view={view}
        asked={`${many(pictures, "picture")}, every concept of both lists`}
        things="pictures"
        isThere={pictures > 0}
        numbers={{
          text: "Numbers and questions",
          before: ({ templates, unasked }) => (
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
          ),
        }}
      />
      <div class="results">
        <Tools
          store={store}
          view={view}
          things="pictures"
          filters={FILTERS.filter(({ value }) => value !== "f" || counts.f > 0)}
          counts={counts}
          search={{ label: "Search pictures by what they show", hint: "descriptions" }}
          orders={ORDERS}
        />
        <div class="results-body">
          <div ref={box}>
            <Panels store={store} view={view} table={table} />
          </div>
          <Card store={store} view={view} table={table} onStep={(by) => store.step(table, by)} />
        </div>
      </div>
      <Explorer store={store} view={view} />
    </>
  );
}
