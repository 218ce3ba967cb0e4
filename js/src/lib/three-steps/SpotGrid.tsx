import { SquareGrid } from "../bench/SquareGrid";
import type { Cell, Raster } from "../bench/squares";
import { type Hand, type Spot, spotNow } from "../bench/tested";
import type { Squares } from "./rows";

/** What a grid does with the store. */
interface Pointed {
  hover(spot: Spot | null): void;
  hold(spot: Spot): void;
}

interface Props {
  store: Pointed;
  view: Pick<Hand, "hovered" | "held">;
  table: { g: { raster: Raster; gridWidth: number }; at: { height: number } };
  model: { name: string; squares: Squares };
  /** What a screen reader says of the grid, and of one square. */
  label: string;
  labelOf: (id: string) => string;
  /** Any other key on a square. */
  onKey?: (key: string, spot: Spot) => boolean;
}

/** A model's squares: what is pointed at in one model is marked in the others. */
export function SpotGrid({ store, view, table, model, label, labelOf, onKey }: Props) {
  const { name, squares } = model;
  const spotAt = ({ row, at }: Cell): Spot | null => {
    const id = squares.ids[row]?.[at];
    return id === undefined ? null : { id, model: name };
  };
  const cellOf = (spot: Spot | null) => (spot ? (squares.places.get(spot.id) ?? null) : null);
  const mine = (spot: Spot | null) => (spot?.model === name ? cellOf(spot) : null);
  const other = spotNow(view);
  return (
    <SquareGrid
      rows={squares.rows}
      raster={table.g.raster}
      width={table.g.gridWidth}
      height={table.at.height}
      label={label}
      labelOf={(cell) => {
        const spot = spotAt(cell);
        return spot ? labelOf(spot.id) : "";
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
        return spot !== null && (onKey?.(key, spot) ?? false);
      }}
    />
  );
}
