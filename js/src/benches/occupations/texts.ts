/** Numbers of a word as people read them. */
import type { Contrast, Measure, Picture, Ranking } from "../../generated/occupations";
import { fixed, intervalDigits, percentRange, points } from "../../lib/format";

const known = (v: number | null | undefined): v is number =>
  typeof v === "number" && Number.isFinite(v);

export function intervalOf(measure: Measure, i: number): [number, number] | null {
  const low = measure.low[i];
  const high = measure.high[i];
  return known(low) && known(high) ? [low, high] : null;
}

/** "80", in per cent, with the decimals that its interval needs; a dash where there is none. */
export function valueText(measure: Measure, i: number): string {
  const value = measure.value[i];
  if (!known(value)) return "–";
  const interval = intervalOf(measure, i);
  return points(value, interval ? Math.min(1, intervalDigits(interval)) : 0);
}

/** "71–89", without the per cent sign: it stands over the column. */
export function rangeText(measure: Measure, i: number): string {
  const interval = intervalOf(measure, i);
  if (!interval) return "";
  return percentRange(interval, Math.min(1, intervalDigits(interval))).replace(" %", "");
}

export function leanText(contrast: Contrast, i: number): string {
  const lean = contrast.lean[i] ?? 2;
  if (lean === 1) return `leans ${contrast.group_1}`;
  if (lean === -1) return `leans ${contrast.group_2}`;
  if (!known(contrast.pse.value[i])) return contrast.reason[i] || "no number";
  return lean === 0 ? "no clear lean" : "no interval";
}

/** What a screen reader says of a row: "nurse, PSE 80 %, 71 to 89, leans female". */
export function rowLabel(
  picture: Picture,
  contrasts: readonly Contrast[],
  measure: "pse" | "jnd",
  i: number,
  ranking: Ranking | null = null,
): string {
  const parts = contrasts.map((contrast) => {
    const of = contrasts.length > 1 ? `${contrast.group_1} to ${contrast.group_2}: ` : "";
    const numbers = `${valueText(contrast[measure], i)} ${rangeText(contrast[measure], i)}`.trim();
    const unit = numbers === "–" ? "" : ` (${measure.toUpperCase()}, %)`;
    return `${of}${numbers}${unit}, ${leanText(contrast, i)}`;
  });
  // A label begins with the text on the screen, so that it can be called by what is seen.
  const place = ranking ? `${placeTexts(picture, ranking, i).join(" ").trim()}; ` : "";
  return `${picture.words[i]} ${place}${parts.join("; ")}`;
}

/** The order of several groups, and in how many replicates the first is first. */
export function placeTexts(picture: Picture, ranking: Ranking, i: number): [string, string] {
  const order = ranking.order[i] ?? [];
  const share = order[0] === undefined ? undefined : ranking.first[i]?.[order[0]];
  return [orderText(order, picture.groups), share === undefined ? "" : points(share)];
}

/** Range of the cue pairs' values, and how many have none. */
export function pairRange(values: readonly (number | null)[]) {
  const there = values.filter(known);
  return {
    n: values.length,
    missing: values.length - there.length,
    low: Math.min(...there),
    high: Math.max(...there),
  };
}

/** A signed correlation: "−0.747". */
export const signed = (r: number | null, digits = 2) => (r === null ? "–" : fixed(r, digits));

/** "Muslim › J › C": the first by its name, the others by as few letters as tell them apart. */
export function orderText(order: readonly number[], groups: readonly string[]): string {
  const [first, ...others] = order.map((group) => groups[group] ?? "");
  return [first, ...others.map((name) => shortest(name, groups))].join(" › ");
}

function shortest(name: string, names: readonly string[]): string {
  const letters = [...name];
  for (let n = 1; n < letters.length; n++) {
    const start = letters.slice(0, n).join("");
    if (names.filter((other) => other.startsWith(start)).length === 1) return start;
  }
  return name;
}
