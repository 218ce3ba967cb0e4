import { SquareGrid } from "../../../lib/bench/SquareGrid";
import type { Cell } from "../../../lib/bench/squares";
import { type Spot, spotNow } from "../../../lib/bench/tested";
import { points } from "../../../lib/format";
import { conceptNames, imageOf, type Store, type View } from "../store";
import { placeText, toneSaid } from "../texts";
import { gridLabel, Lines } from "./Lines";
import { FOOT, HEAD } from "./layout";
import type { Model, Table } from "./table";

interface Props {
  store: Store;
  view: View;
  table: Table;
}

/** Per model and term an interval around 50, and a square for each picture. */
export function Panels({ store, view, table }: Props) {
  const { rows, at, g, models } = table;
  const spot = spotNow(view);
  const term = spot && imageOf(view, spot.id)?.term;
  const name = typeof term === "number" ? view.images.terms[term]?.name : undefined;
  const active = rows.find((row) => row.name === name)?.key ?? "";
  const [one, two] = conceptNames(view);
  const high = HEAD + at.height + FOOT;
  return (
    <div class="model-panels" data-testid="panels">
      {models.map((model) => (
        <section key={model.name} aria-label={model.name}>
          {models.length > 1 && (
            <h3 class="model-name">
              {model.name} {model.state !== "done" && <span class="quiet">{model.state}</span>}
            </h3>
          )}
          <div class="model-panel" style={{ height: `${high}px` }}>
            <svg class="drawing" width={g.width} height={high} role="presentation">
              <Lines
                {...{ rows, at, g, model, one, two, active }}
                count={view.images.images.length}
              />
            </svg>
            <div class="squares-at" style={{ left: `${g.grid}px`, top: `${HEAD}px` }}>
              <Grid store={store} view={view} table={table} model={model} />
            </div>
          </div>
        </section>
      ))}
    </div>
  );
}

function Grid({ store, view, table, model }: Props & { model: Model }) {
  const { g, at, scored } = table;
  const { squares, name } = model;
  const spotAt = ({ row, at: i }: Cell): Spot | null => {
    const image = squares.images[row]?.[i];
    return image === undefined ? null : { id: image, model: name };
  };
  const cellOf = (spot: Spot | null) => (spot ? (squares.places.get(spot.id) ?? null) : null);
  const mine = (spot: Spot | null) => (spot?.model === name ? cellOf(spot) : null);
  const other = spotNow(view);
  return (
    <SquareGrid
      rows={squares.rows}
      raster={g.raster}
      width={g.gridWidth}
      height={at.height}
      label={gridLabel(name, view.images.images.length)}
      labelOf={(cell) => {
        const spot = spotAt(cell);
        const image = spot && imageOf(view, spot.id);
        if (!spot || !image) return "";
        const { score, tone } = scored(name, spot.id);
        const said = score === null ? "" : `, score ${points(score)}`;
        return `${placeText(view.images, image)}, ${toneSaid(tone)}${said}: ${image.alt}`;
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
    />
  );
}
