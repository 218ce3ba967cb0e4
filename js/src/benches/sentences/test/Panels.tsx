import { SquareGrid } from "../../../lib/bench/SquareGrid";
import type { Cell } from "../../../lib/bench/squares";
import { type Spot, spotNow } from "../../../lib/bench/tested";
import { groupNames, pairOf, type Store, type View } from "../store";
import { many, oddsText, placeText } from "../texts";
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
  const active = rows.find((row) => spot && row.pairs.includes(spot.id))?.key ?? "";
  const groups = groupNames(view);
  const high = HEAD + at.height;
  return (
    <div class="model-panels" data-testid="panels">
      {linesOfModels(models, g.perLine).map((line) => (
        <div key={line[0]!.name} class="model-line" style={{ height: `${high}px` }}>
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
  const { g, at, scored } = table;
  const { squares, name } = model;
  const spotAt = ({ row, at: i }: Cell): Spot | null => {
    const pair = squares.pairs[row]?.[i];
    return pair === undefined ? null : { id: pair, model: name };
  };
  const cellOf = (spot: Spot | null) => (spot ? (squares.places.get(spot.id) ?? null) : null);
  const mine = (spot: Spot | null) => (spot?.model === name ? cellOf(spot) : null);
  const other = spotNow(view);
  const { pairs } = view.sentences;
  return (
    <SquareGrid
      rows={squares.rows}
      raster={g.raster}
      width={g.gridWidth}
      height={at.height}
      label={`${name}: ${many(pairs.length, "pair")}, one square each; arrows move, Enter holds, E edits`}
      labelOf={(cell) => {
        const spot = spotAt(cell);
        const pair = spot && pairOf(view, spot.id);
        if (!spot || !pair) return "";
        const { odds, outcome } = scored(name, spot.id);
        return `${placeText(pairs, pair)}, ${oddsText(odds, outcome)}: ${pair.stereotyped}`;
      }}
      testid="squares"
      name={name}
      hovered={mine(view.hovered)}
      held={mine(view.held)}
      marked={other && other.model !== name ? cellOf(other) : null}
      onHover={(cell) => store.hover(cell && spotAt(cell))}
      onHold={(cell) => {
        const spot = spotAt(cell);
        if (spot) store.hold(spot);
      }}
      onKey={(key, cell) => {
        const spot = spotAt(cell);
        if (key.toLowerCase() !== "e" || !spot) return false;
        store.edit(spot);
        return true;
      }}
    />
  );
}
