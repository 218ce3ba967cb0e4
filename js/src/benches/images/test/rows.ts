/** What the results show: rows of image terms, and in each the squares of its pictures. */
import { type Images, NO_SCORE, type Score } from "../../../generated/images";
import { matcherOf } from "../../../lib/search";
import * as shared from "../../../lib/three-steps/rows";
import type { Outcome, View } from "../store";

export interface ResultRow extends shared.Row {
  /** One per model. */
  scores: Score[];
}

export type Section = shared.Section<ResultRow>;

export interface Scored {
  score: number | null;
  tone: string;
}

const NOT_YET: Scored = { score: null, tone: "-" };

/** What is known of a picture at a model. */
export type ScoredOf = (model: string, image: string) => Scored;

export const scoredOf = ({ scores, order }: Pick<View, "scores" | "order">): ScoredOf =>
  shared.scoresBy(scores.models, order, NOT_YET, (model, at) => ({
    score: model.scores[at] ?? null,
    tone: model.tones[at] ?? "-",
  }));

/** The rows of the picture, or of the pictures where nothing has been tested yet. */
export function sectionsOf(view: View): Section[] {
  const groups = view.inputs.lists.filter((l) => l.kind === "groups").map((l) => l.name);
  const names = view.answer.picture?.groups ?? groups;
  return shared.sectionsOf(
    resultRows(view),
    view.sort === "score" ? "value" : view.sort,
    ({ scores }) => scores[0]?.score ?? -1,
    ({ group }) => ({ key: group, name: names[group] ?? "" }),
  );
}

function resultRows(view: View): ResultRow[] {
  const terms = view.answer.picture?.terms ?? [];
  if (terms.length === 0) return rowsOfImages(view.images, view.inputs.models.length);
  return terms.map(({ name, group, scores, images }) => ({
    key: `${group} / ${name}`,
    name,
    group,
    scores,
    ids: images.flatMap((at) => view.order[at] ?? []),
  }));
}

function rowsOfImages({ terms, images }: Images, models: number): ResultRow[] {
  const rows = terms.map(({ name, group }) => ({
    key: `${group} / ${name}`,
    name,
    group,
    scores: Array.from({ length: models }, () => NO_SCORE),
    ids: [] as string[],
  }));
  for (const { id, term } of images) rows[term]?.ids.push(id);
  return rows.filter((row) => row.ids.length > 0);
}

const OUTCOMES: Record<Outcome, RegExp> = {
  all: /./,
  with: /[A-C]/,
  against: /[a-c]/,
  t: /t/,
  f: /f/,
};

export interface Filter {
  outcome: Outcome;
  /** Ids that a search has found; null without one. */
  found: ReadonlySet<string> | null;
}

/** Ids of the pictures whose description has every word of a search; null for an empty one. */
export function foundBy({ images, terms, sources }: Images, search: string): Set<string> | null {
  if (!search.trim()) return null;
  const matches = matcherOf(search);
  const matching = images.filter(({ alt, term, source }) =>
    matches(`${terms[term]?.name} ${alt} ${sources[source]}`),
  );
  return new Set(matching.map((image) => image.id));
}

/** How many squares of all models have which outcome. */
export function outcomeCounts({
  scores,
  inputs,
}: Pick<View, "scores" | "inputs">): Record<Outcome, number> {
  const counts = { all: 0, with: 0, against: 0, t: 0, f: 0 };
  for (const { model, tones } of scores.models) {
    if (!inputs.models.includes(model)) continue;
    for (const tone of tones)
      for (const name of Object.keys(counts) as Outcome[])
        if (OUTCOMES[name].test(tone)) counts[name]++;
  }
  return counts;
}

/** With what stands first in a row: the most stereotyped, failed and not yet tested ones last. */
const rank = ({ score, tone }: Scored) => (tone === "-" ? -2 : (score ?? -1));

export function squaresOf(
  rows: readonly ResultRow[],
  tops: readonly number[],
  model: string,
  scored: ScoredOf,
  within: View["within"],
  filter: Filter,
): shared.Squares {
  const filtered = filter.outcome !== "all" || filter.found !== null;
  return shared.squaresOf(rows, tops, { ranked: within === "score", filtered }, (id) => {
    const known = scored(model, id);
    const { tone } = known;
    const fits = OUTCOMES[filter.outcome].test(tone) && (filter.found?.has(id) ?? true);
    return { tone, rank: rank(known), fits };
  });
}
