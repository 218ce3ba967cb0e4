/** All that the picture of the results is drawn from, for a width. */
import { useMemo } from "preact/hooks";
import type { Squares } from "../../../lib/three-steps/rows";
import type { View } from "../store";
import { type Geometry, geometry, type Rows, rowsIn } from "./layout";
import { foundBy, type ResultRow, type Scored, scoredOf, sectionsOf, squaresOf } from "./rows";

export interface Model {
  name: string;
  index: number;
  squares: Squares;
}

export interface Table {
  rows: ResultRow[];
  g: Geometry;
  at: Rows;
  models: Model[];
  scored: Scored;
}

export function tableOf(view: View, width: number): Table {
  const sections = sectionsOf(view);
  const { picture } = view.answer;
  const names = picture?.models.length ? picture.models.map((m) => m.name) : view.inputs.models;
  const g = geometry(width, Math.max(names.length, 1), sections);
  const at = rowsIn(sections, g);
  const rows = sections.flatMap((section) => section.rows);
  const scored = scoredOf(view);
  const filter = { outcome: view.outcome, found: foundBy(view.sentences.pairs, view.search) };
  const edges = picture?.edges ?? [0.6, 1.6];
  const models = names.map((name, index) => ({
    name,
    index,
    squares: squaresOf(rows, at.tops, name, scored, view.within, filter, edges),
  }));
  return { rows, g, at, models, scored };
}

/** The same, made anew only when what it is made of has changed: not while the pointer moves. */
export function useTable(view: View, width: number, font: string): Table {
  const { answer, scores, sentences, order, outcome, search, sort, within, kind, inputs } = view;
  return useMemo(
    () => tableOf(view, width),
    [
      answer.picture,
      scores,
      sentences,
      order,
      outcome,
      search,
      sort,
      within,
      kind,
      inputs.models,
      width,
      font,
    ],
  );
}
