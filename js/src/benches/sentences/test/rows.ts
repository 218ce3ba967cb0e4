/** What the results show: rows of attributes, and in each the squares of its pairs. */
import type { PairRow, Share } from "../../../generated/sentences";
import type { Cell, SquareRow } from "../../../lib/bench/squares";
import { toneOf } from "../../../lib/bench/squares";
import { NO_SHARE, type Outcome, type View } from "../store";

export interface ResultRow {
  key: string;
  name: string;
  list: string;
  /** Of the group that its list is a stereotype of; -1 for none. */
  group: number;
  /** One per model. */
  shares: Share[];
  pairs: string[];
}

export interface Section {
  name: string;
  group: number;
  rows: ResultRow[];
}

export interface Score {
  odds: number | null;
  outcome: string;
}

const NOT_YET: Score = { odds: null, outcome: "-" };

/** What is known of a pair at a model. */
export type Scored = (model: string, pair: string) => Score;

export function scoredOf({ scores, order }: Pick<View, "scores" | "order">): Scored {
  const places = new Map(order.map((id, i) => [id, i]));
  const models = new Map(scores.models.map((m) => [m.model, m]));
  return (model, pair) => {
    const [one, at] = [models.get(model), places.get(pair)];
    if (!one || at === undefined) return NOT_YET;
    return { odds: one.log_odds[at] ?? null, outcome: one.outcomes[at] ?? "-" };
  };
}

/** The rows of the picture, or of the pairs where nothing has been tested yet. */
export function sectionsOf(view: View): Section[] {
  const rows = resultRows(view);
  if (view.sort !== "list") {
    const share = (row: ResultRow) => row.shares[0]?.share ?? -1;
    const sorted = [...rows].sort((a, b) =>
      view.sort === "share" ? share(b) - share(a) : a.name.localeCompare(b.name),
    );
    return [{ name: "", group: -1, rows: sorted }];
  }
  const sections = new Map<string, Section>();
  for (const row of rows) {
    const found = sections.get(row.list) ?? { name: row.list, group: row.group, rows: [] };
    found.rows.push(row);
    sections.set(row.list, found);
  }
  return [...sections.values()];
}

function resultRows(view: View): ResultRow[] {
  const { picture } = view.answer;
  const kinds = [view.kind, "attributes", "bias_types"] as const;
  const found = kinds.map((kind) => picture?.[kind] ?? []).find((rows) => rows.length > 0);
  if (!found) return rowsOfPairs(view.sentences.pairs, view.inputs.models.length);
  return found.map(({ name, list, group, shares, pairs }) => ({
    key: `${list} / ${name}`,
    name,
    list,
    group,
    shares,
    pairs: pairs.flatMap((at) => view.order[at] ?? []),
  }));
}

function rowsOfPairs(pairs: readonly PairRow[], models: number): ResultRow[] {
  const rows = new Map<string, ResultRow>();
  for (const { id, attribute, list, groups } of pairs) {
    const key = `${list} / ${attribute}`;
    const shares = Array.from({ length: models }, () => NO_SHARE);
    const name = attribute || "all pairs";
    const row = rows.get(key) ?? { key, name, list, group: groups[0], shares, pairs: [] };
    row.pairs.push(id);
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
  const words = search.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const fits = (p: PairRow) => {
    const text = `${p.attribute} ${p.stereotyped} ${p.against}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return new Set(pairs.filter(fits).map((p) => p.id));
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

/** A model's squares: the pairs of each row in their order, and how they look. */
export interface Squares {
  /** Ids, per row. */
  pairs: string[][];
  rows: SquareRow[];
  places: Map<string, Cell>;
}

export function squaresOf(
  rows: readonly ResultRow[],
  tops: readonly number[],
  model: string,
  scored: Scored,
  within: View["within"],
  filter: Filter,
  edges: readonly [number, number],
): Squares {
  const filtered = filter.outcome !== "all" || filter.found !== null;
  const places = new Map<string, Cell>();
  const pairs = rows.map((row) => {
    if (within === "place") return row.pairs;
    const ranks = new Map(row.pairs.map((id) => [id, rank(scored(model, id))]));
    return [...row.pairs].sort((a, b) => ranks.get(b)! - ranks.get(a)!);
  });
  const made = rows.map((row, r): SquareRow => {
    let [tones, faded] = ["", ""];
    pairs[r]!.forEach((id, at) => {
      const score = scored(model, id);
      tones += toneOf(score.odds, score.outcome, edges);
      if (filtered) faded += fitsFilter(filter, id, score) ? "0" : "1";
      places.set(id, { row: r, at });
    });
    return { key: row.key, tones, faded, top: tops[r] ?? 0 };
  });
  return { pairs, rows: made, places };
}
