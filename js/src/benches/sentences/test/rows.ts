/** What the results show: rows of attributes, and in each the squares of its pairs. */
import { NO_SHARE, type PairRow, type Share } from "../../../generated/sentences";
import { toneOf } from "../../../lib/bench/squares";
import { matcherOf } from "../../../lib/search";
import * as shared from "../../../lib/three-steps/rows";
import type { Outcome, View } from "../store";

export interface ResultRow extends shared.Row {
  list: string;
  /** One per model. */
  shares: Share[];
}

export type Section = shared.Section<ResultRow>;

export interface Score {
  odds: number | null;
  outcome: string;
}

const NOT_YET: Score = { odds: null, outcome: "-" };

/** What is known of a pair at a model. */
export type Scored = (model: string, pair: string) => Score;

export const scoredOf = ({ scores, order }: Pick<View, "scores" | "order">): Scored =>
  shared.scoresBy(scores.models, order, NOT_YET, ({ log_odds, outcomes }, at) => ({
    odds: log_odds[at] ?? null,
    outcome: outcomes[at] ?? "-",
  }));

/** The rows of the picture, or of the pairs where nothing has been tested yet. */
export const sectionsOf = (view: View): Section[] =>
  shared.sectionsOf(
    resultRows(view),
    view.sort === "share" ? "value" : view.sort,
    ({ shares }) => shares[0]?.share ?? -1,
    ({ list }) => ({ key: list, name: list }),
  );

function resultRows(view: View): ResultRow[] {
  const { picture } = view.answer;
  const kinds = [view.kind, "attributes", "bias_types"] as const;
  const own = kinds.map((kind) => picture?.[kind] ?? []).find((rows) => rows.length > 0);
  if (!own) return rowsOfPairs(view.sentences.pairs, view.inputs.models.length);
  return own.map(({ name, list, group, shares, pairs }) => ({
    key: `${list} / ${name}`,
    name,
    list,
    group,
    shares,
    ids: pairs.flatMap((at) => view.order[at] ?? []),
  }));
}

function rowsOfPairs(pairs: readonly PairRow[], models: number): ResultRow[] {
  const rows = new Map<string, ResultRow>();
  for (const { id, attribute, list, groups } of pairs) {
    const key = `${list} / ${attribute}`;
    const shares = Array.from({ length: models }, () => NO_SHARE);
    const name = attribute || "all pairs";
    const row = rows.get(key) ?? { key, name, list, group: groups[0], shares, ids: [] };
    row.ids.push(id);
    rows.set(key, row);
  }
  return [...rows.values()];
}

export interface Filter {
  outcome: Outcome;
  /** Ids that a search has found; null without one. */
  found: ReadonlySet<string> | null;
}

const fitsFilter = ({ outcome, found }: Filter, pair: string, score: Score) =>
  (outcome === "all" || score.outcome === outcome) && (found === null || found.has(pair));

/** Ids of the pairs in which every word of a search occurs; null for an empty one. */
export function foundBy(pairs: readonly PairRow[], search: string): Set<string> | null {
  if (!search.trim()) return null;
  const matches = matcherOf(search);
  const matching = pairs.filter((p) => matches(`${p.attribute} ${p.stereotyped} ${p.against}`));
  return new Set(matching.map((p) => p.id));
}

/** How many squares of all models have which outcome. */
export function outcomeCounts({ scores, order, inputs }: View): Record<Outcome, number> {
  const counts = { all: 0, s: 0, a: 0, t: 0, f: 0 };
  for (const { model, outcomes } of scores.models) {
    if (!inputs.models.includes(model)) continue;
    for (const one of outcomes.slice(0, order.length)) {
      counts.all++;
      if (one === "s" || one === "a" || one === "t" || one === "f") counts[one]++;
    }
  }
  return counts;
}

/** With what stands first in a row: the most stereotyped, failed and not yet scored ones last. */
const rank = ({ odds, outcome }: Score) =>
  outcome === "-" ? Number.NEGATIVE_INFINITY : outcome === "f" || odds === null ? -1e300 : odds;

export function squaresOf(
  rows: readonly ResultRow[],
  tops: readonly number[],
  model: string,
  scored: Scored,
  within: View["within"],
  filter: Filter,
  edges: readonly [number, number],
): shared.Squares {
  const filtered = filter.outcome !== "all" || filter.found !== null;
  return shared.squaresOf(rows, tops, { ranked: within === "odds", filtered }, (id) => {
    const score = scored(model, id);
    const tone = toneOf(score.odds, score.outcome, edges);
    return { tone, rank: rank(score), fits: fitsFilter(filter, id, score) };
  });
}
