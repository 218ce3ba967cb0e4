/** Rows of the results, and in each the squares of the material. */
import { type Cell, type Raster, type SquareRow, squareKey } from "../bench/squares";
import type { Spot } from "../bench/tested";

export interface Row {
  key: string;
  name: string;
  /** Of the group that it is a stereotype of; -1 for none. */
  group: number;
  /** Of the material. */
  ids: string[];
}

export interface Section<R extends Row> {
  name: string;
  group: number;
  rows: R[];
}

/** Rows under the heads of their sections; rows in another order stand under none. */
export function sectionsOf<R extends Row>(
  rows: readonly R[],
  sort: "list" | "name" | "value",
  scoreOf: (row: R) => number,
  headOf: (row: R) => { key: string | number; name: string },
): Section<R>[] {
  if (sort !== "list") {
    const sorted = [...rows].sort((a, b) =>
      sort === "value" ? scoreOf(b) - scoreOf(a) : a.name.localeCompare(b.name),
    );
    return [{ name: "", group: -1, rows: sorted }];
  }
  const sections = new Map<string | number, Section<R>>();
  for (const row of rows) {
    const { key, name } = headOf(row);
    const section = sections.get(key) ?? { name, group: row.group, rows: [] };
    section.rows.push(row);
    sections.set(key, section);
  }
  return [...sections.values()];
}

/** What each model found of the material, by its name and an id; `none` for what is not tested. */
export function scoresBy<M extends { model: string }, S>(
  models: readonly M[],
  order: readonly string[],
  none: S,
  read: (model: M, at: number) => S,
): (model: string, id: string) => S {
  const places = new Map(order.map((id, i) => [id, i]));
  const byName = new Map(models.map((m) => [m.model, m]));
  return (name, id) => {
    const [model, at] = [byName.get(name), places.get(id)];
    return model && at !== undefined ? read(model, at) : none;
  };
}

/** How a square looks, and where it stands in its row: that of the highest rank first. */
interface Square {
  tone: string;
  rank: number;
  /** Left by the filter. */
  fits: boolean;
}

/** A model's squares: the material of each row in its order, and how it looks. */
export interface Squares {
  /** Per row. */
  ids: string[][];
  rows: SquareRow[];
  places: Map<string, Cell>;
}

export function squaresOf(
  rows: readonly Row[],
  tops: readonly number[],
  { ranked, filtered }: { ranked: boolean; filtered: boolean },
  squareOf: (id: string) => Square,
): Squares {
  const made: Squares = { ids: [], rows: [], places: new Map() };
  rows.forEach((row, r) => {
    const squares = row.ids.map((id) => ({ id, ...squareOf(id) }));
    if (ranked) squares.sort((a, b) => b.rank - a.rank);
    squares.forEach(({ id }, at) => {
      made.places.set(id, { row: r, at });
    });
    made.ids.push(squares.map(({ id }) => id));
    made.rows.push({
      key: row.key,
      tones: squares.map(({ tone }) => tone).join(""),
      faded: filtered ? squares.map(({ fits }) => (fits ? "0" : "1")).join("") : "",
      top: tops[r] ?? 0,
    });
  });
  return made;
}

/** The squares of all models, and how they are laid out. */
export interface SquaresOfModels {
  models: readonly { name: string; squares: Squares }[];
  g: { raster: Raster };
}

/** The square beside another of the same model; null where there is none. */
export function besideSpot(
  models: SquaresOfModels["models"],
  raster: Raster,
  from: Spot | null,
  by: -1 | 1,
): Spot | null {
  const squares = models.find((m) => m.name === from?.model)?.squares;
  const cell = from && squares?.places.get(from.id);
  if (!from || !squares || !cell) return null;
  const to = squareKey(by > 0 ? "ArrowRight" : "ArrowLeft", cell, squares.rows, raster);
  const id = to && squares.ids[to.row]?.[to.at];
  return id ? { id, model: from.model } : null;
}
