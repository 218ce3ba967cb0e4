import { spotNow } from "../../../lib/bench/tested";
import { many } from "../../../lib/format";
import { SpotGrid } from "../../../lib/three-steps/SpotGrid";
import { groupNames, pairOf, type Store, type View } from "../store";
import { oddsText, placeText } from "../texts";
import { Bars } from "./Bars";
import { HEAD, linesOfModels } from "./layout";
import type { Model, Table } from "./table";

interface Props {
  store: Store;
  view: View;
  table: Table;
}

/** Per model and attribute a bar with its interval, and a square for each pair. */
export function Panels({ store, view, table }: Props) {
  const { rows, at, g, models } = table;
  const spot = spotNow(view);
  const active = rows.find((row) => spot && row.ids.includes(spot.id))?.key ?? "";
  const groups = groupNames(view);
  const high = HEAD + at.height;
  return (
    <div class="model-panels" data-testid="panels">
      {linesOfModels(models, g.perLine).map((line) => (
        <div key={line[0]!.name} class="model-panel" style={{ height: `${high}px` }}>
          <svg class="drawing" width={g.width} height={high} role="presentation">
            <Bars rows={rows} at={at} g={g} models={line} groups={groups} active={active} />
          </svg>
          {line.map((model, place) => (
            <div
              key={model.name}
              class="squares-at"
              style={{ left: `${g.grids[place]}px`, top: `${HEAD}px` }}
            >
              <Grid store={store} view={view} table={table} model={model} />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function Grid({ store, view, table, model }: Props & { model: Model }) {
  const { name } = model;
  const { pairs } = view.sentences;
  return (
    <SpotGrid
      store={store}
      view={view}
      table={table}
      model={model}
      label={`${name}: ${many(pairs.length, "pair")}, one square each; arrows move, Enter holds, E edits`}
      labelOf={(id) => {
        const pair = pairOf(view, id);
        if (!pair) return "";
        const { odds, outcome } = table.scored(name, id);
        return `${placeText(pairs, pair)}, ${oddsText(odds, outcome)}: ${pair.stereotyped}`;
      }}
      onKey={(key, spot) => {
        if (key.toLowerCase() !== "e") return false;
        store.edit(spot);
        return true;
      }}
    />
  );
}
