/** What the results show: rows of image terms, and in each the squares of its pictures. */
import type { Images, Score } from "../../../generated/images";
import type { Cell, SquareRow } from "../../../lib/bench/squares";
import { NO_SCORE, type Outcome, type View } from "../store";

export interface ResultRow {
  key: string;
  name: string;
  group: number;
  /** One per model. */
  scores: Score[];
  /** Ids. */
  images: string[];
}

export interface Section {
  name: string;
  group: number;
  rows: ResultRow[];
}

export interface Scored {
  score: number | null;
  tone: string;
}

const NOT_YET: Scored = { score: null, tone: "-" };

/** What is known of a picture at a model. */
export type ScoredOf = (model: string, image: string) => Scored;

export function scoredOf({ scores, order }: Pick<View, "scores" | "order">): ScoredOf {
  const places = new Map(order.map((id, i) => [id, i]));
  const models = new Map(scores.models.map((m) => [m.model, m]));
  return (model, image) => {
    const [one, at] = [models.get(model), places.get(image)];
    if (!one || at === undefined) return NOT_YET;
    return { score: one.scores[at] ?? null, tone: one.tones[at] ?? "-" };
  };
}

/** The rows of the picture, or of the pictures where nothing has been tested yet. */
export function sectionsOf(view: View): Section[] {
  const rows = resultRows(view);
  if (view.sort !== "list") {
    const score = (row: ResultRow) => row.scores[0]?.score ?? -1;
    const sorted = [...rows].sort((a, b) =>
      view.sort === "score" ? score(b) - score(a) : a.name.localeCompare(b.name),
    );
    return [{ name: "", group: -1, rows: sorted }];
  }
  const groups = view.inputs.lists.filter((l) => l.kind === "groups").map((l) => l.name);
  const names = view.answer.picture?.groups ?? groups;
  const sections = new Map<number, Section>();
  for (const row of rows) {
    const { group } = row;
    const found = sections.get(group) ?? { name: names[group] ?? "", group, rows: [] };
    found.rows.push(row);
    sections.set(group, found);
  }
  return [...sections.values()];
}

function resultRows(view: View): ResultRow[] {
  const terms = view.answer.picture?.terms ?? [];
  if (terms.length === 0) return rowsOfImages(view.images, view.inputs.models.length);
  return terms.map(({ name, group, scores, images }) => ({
    key: `${group} / ${name}`,
    name,
    group,
    scores,
    images: images.flatMap((at) => view.order[at] ?? []),
  }));
}

function rowsOfImages({ terms, images }: Images, models: number): ResultRow[] {
  const rows = terms.map(({ name, group }) => ({
    key: `${group} / ${name}`,
    name,
    group,
    scores: Array.from({ length: models }, () => NO_SCORE),
    images: [] as string[],
  }));
  for (const { id, term } of images) rows[term]?.images.push(id);
  return rows.filter((row) => row.images.length > 0);
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
  const words = search.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const found = images.filter(({ alt, term, source }) => {
    const text = `${terms[term]?.name} ${alt} ${sources[source]}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return new Set(found.map((image) => image.id));
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

/** A model's squares: the pictures of each row in their order, and how they look. */
export interface Squares {
  /** Ids, per row. */
  images: string[][];
  rows: SquareRow[];
  places: Map<string, Cell>;
}

export function squaresOf(
  rows: readonly ResultRow[],
  tops: readonly number[],
  model: string,
  scored: ScoredOf,
  within: View["within"],
  filter: Filter,
): Squares {
  const filtered = filter.outcome !== "all" || filter.found !== null;
  const places = new Map<string, Cell>();
  const images = rows.map((row) => {
    if (within === "place") return row.images;
    const ranks = new Map(row.images.map((id) => [id, rank(scored(model, id))]));
    return [...row.images].sort((a, b) => ranks.get(b)! - ranks.get(a)!);
  });
  const made = rows.map((row, r): SquareRow => {
    let [tones, faded] = ["", ""];
    images[r]!.forEach((id, at) => {
      const { tone } = scored(model, id);
      tones += tone;
      if (filtered) {
        const left = OUTCOMES[filter.outcome].test(tone) && (filter.found?.has(id) ?? true);
        faded += left ? "0" : "1";
      }
      places.set(id, { row: r, at });
    });
    return { key: row.key, tones, faded, top: tops[r] ?? 0 };
  });
  return { images, rows: made, places };
}
