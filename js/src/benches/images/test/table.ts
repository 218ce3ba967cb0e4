/** All that the picture of the results is drawn from, for a width. */
import { useMemo } from "preact/hooks";
import { type ImageModelRow, NO_SCORE, type Score } from "../../../generated/images";
import type { Squares } from "../../../lib/three-steps/rows";
import type { View } from "../store";
import { type Geometry, geometry, type Rows, rowsIn } from "./layout";
import { foundBy, type ResultRow, type ScoredOf, scoredOf, sectionsOf, squaresOf } from "./rows";

export interface Model {
  name: string;
  index: number;
  overall: Score;
  state: ImageModelRow["state"];
  squares: Squares;
}

export interface Table {
  rows: ResultRow[];
  g: Geometry;
  at: Rows;
  models: Model[];
  scored: ScoredOf;
}

export function tableOf(view: View, width: number): Table {
  const sections = sectionsOf(view);
  const tested = view.answer.picture?.models ?? [];
  const names = tested.length > 0 ? tested.map((m) => m.name) : view.inputs.models;
  const rows = sections.flatMap((section) => section.rows);
  const all = [...rows.flatMap((row) => row.scores), ...tested.map((m) => m.overall)];
  const ends = all.flatMap(({ score, low, high }) => [score ?? 0.5, low ?? 0.5, high ?? 0.5]);
  const g = geometry(width, sections, ends);
  const at = rowsIn(sections, g);
  const scored = scoredOf(view);
  const filter = { outcome: view.outcome, found: foundBy(view.images, view.search) };
  const models = names.map((name, index) => ({
    name,
    index,
    overall: tested[index]?.overall ?? NO_SCORE,
    state: tested[index]?.state ?? "waiting",
    squares: squaresOf(rows, at.tops, name, scored, view.within, filter),
  }));
  return { rows, g, at, models, scored };
}

/** The same, made anew only when what it is made of has changed: not while the pointer moves. */
export function useTable(view: View, width: number, font: string): Table {
  const { answer, scores, images, order, outcome, search, sort, within, inputs } = view;
  return useMemo(
    () => tableOf(view, width),
    [
      answer.picture,
      scores,
      images,
      order,
      outcome,
      search,
      sort,
      within,
      inputs.models,
      width,
      font,
    ],
  );
}
