import { useRef } from "preact/hooks";
import { NO_PICTURE } from "../../../generated/sentences";
import { many } from "../../../lib/format";
import { useFont, useWidth } from "../../../lib/hooks";
import { TestHead } from "../../../lib/three-steps/TestHead";
import { Tools } from "../../../lib/three-steps/Tools";
import { Select } from "../../../lib/ui/Controls";
import type { Store, View } from "../store";
import { FILTERS } from "../texts";
import { Dock } from "./Dock";
import { Failures } from "./Failures";
import { Legend } from "./Legend";
import { Panels } from "./Panels";
import { outcomeCounts } from "./rows";
import { ScoreAxis } from "./ScoreAxis";
import { useTable } from "./table";

const ORDERS = [
  { value: "list odds", label: "lists, squares by log-odds" },
  { value: "list place", label: "lists, pairs in one place" },
  { value: "share odds", label: "by share" },
  { value: "name odds", label: "by name" },
] as const;

const KINDS = [
  { value: "attributes", label: "attributes" },
  { value: "bias_types", label: "types of bias" },
] as const;

/** Step 3: which version each model finds more probable, over all, by attribute, by pair. */
export function Test({ store, view }: { store: Store; view: View }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 918);
  const font = useFont(box);
  const table = useTable(view, width, font);
  const { attributes, bias_types, edges, unit } = view.answer.picture ?? NO_PICTURE;
  const pairs = view.sentences.pairs.length;
  const both = attributes.length > 0 && bias_types.length > 0;
  return (
    <>
      <TestHead
        store={store}
        view={view}
        asked={`both versions of ${many(pairs, "pair")} are scored`}
        things="sentences"
        isThere={pairs > 0}
        numbers={{
          text: "Numbers and formulas",
          before: ({ scorer_label, formula }) => (
            <p class="formula column t11">
              <span>{scorer_label}</span> <code>{formula}</code>
            </p>
          ),
        }}
      >
        <ScoreAxis view={view} />
      </TestHead>
      <div class="results">
        <Tools
          store={store}
          view={view}
          things="pairs"
          filters={FILTERS}
          counts={outcomeCounts(view)}
          search={{ label: "Search sentences", hint: "sentences" }}
          orders={ORDERS}
        >
          {both && (
            <div class="mini order">
              <Select
                label="Rows"
                testid="kind"
                value={view.kind}
                options={KINDS}
                onChange={(kind) => store.look({ kind })}
              />
            </div>
          )}
          <Legend edges={edges} unit={unit} />
        </Tools>
        <div ref={box}>
          <Panels store={store} view={view} table={table} />
        </div>
        <Failures store={store} view={view} />
      </div>
      <Dock
        store={store}
        view={view}
        scored={table.scored}
        onStep={(by) => store.step(table, by)}
      />
    </>
  );
}
