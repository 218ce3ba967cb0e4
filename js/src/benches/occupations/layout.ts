/** Where things stand in the rows, in CSS pixels, for a given width. */
import type { Contrast } from "../../generated/occupations";
import { linear, type Scale, tickStep, ticks } from "../../lib/scale";
import { textWidth } from "../../lib/textwidth";

export const ROW = 20;
/** Most contrasts that fit side by side; of more, the first are shown. */
export const MOST_PLOTS = 6;

export interface Plot {
  left: number;
  right: number;
}

export interface Geometry {
  width: number;
  narrow: boolean;
  /** Right end of the words, and how wide they may be. */
  nameRight: number;
  nameWidth: number;
  plots: Plot[];
  /** Right ends of the two columns of numbers; of several plots, left end of the ranking. */
  valueRight: number;
  rangeRight: number;
  ranking: number | null;
}

const NARROW = 440;

/** @param numbers - Widths of the longest word and of the longest interval, as text. */
export function geometry(
  width: number,
  plots: number,
  { name: longestName, range: longestRange }: { name: number; range: number },
): Geometry {
  const narrow = width < NARROW;
  const several = plots > 1;
  const most = narrow ? 92 : several ? 110 : 150;
  const nameWidth = Math.min(Math.max(longestName, 56), most);
  const nameRight = nameWidth + 2;
  const left = nameRight + (narrow ? 10 : 18);
  const range = Math.max(longestRange, 34) + 2;
  const numbers = several ? (narrow ? 76 : 132) : range + (narrow ? 38 : 44);
  const right = Math.max(left + 40 * plots, width - numbers - (narrow ? 8 : 14));
  const gap = narrow ? 14 : 22;
  const each = (right - left - gap * (plots - 1)) / plots;
  return {
    width,
    narrow,
    nameRight,
    nameWidth,
    plots: Array.from({ length: plots }, (_, i) => {
      const from = left + i * (each + gap);
      return { left: from, right: from + each };
    }),
    rangeRight: width - 2,
    valueRight: width - range - (narrow ? 6 : 12),
    ranking: several ? right + (narrow ? 8 : 14) : null,
  };
}

export interface Axis {
  domain: [number, number];
  ticks: number[];
  /** The value that means no bias; a JND has none. */
  neutral: number | null;
}

/** One axis for all plots side by side: only then do they compare. */
export function axisOf(
  contrasts: readonly Contrast[],
  measure: "pse" | "jnd",
  width: number,
): Axis {
  const neutral = measure === "pse" ? 0.5 : null;
  const ends = contrasts.flatMap((c) => c[measure].axis).filter(Number.isFinite);
  const around = neutral === null ? [0] : [neutral - 0.05, neutral + 0.05];
  const low = Math.min(...ends, ...around);
  const high = Math.max(
    ...ends,
    ...around,
    ...(ends.length ? [] : [neutral === null ? 0.3 : 1, 0]),
  );
  const from = ends.length ? low : Math.min(0, low);
  const step = tickStep(from, high, Math.max(2, Math.floor(width / 52)));
  // Counted from the neutral value, so that it is always labelled.
  const origin = neutral ?? 0;
  const shown = ticks(from - origin, high - origin, step).map((t) =>
    Number((t + origin).toPrecision(12)),
  );
  return { domain: [from, high], ticks: shown, neutral };
}

export const scaleOf = ({ domain }: Axis, { left, right }: Plot): Scale =>
  linear(domain, [left, right]);

/** All that the parts of the rows are drawn with. */
export function frameOf(
  g: Geometry,
  contrasts: readonly Contrast[],
  measure: "pse" | "jnd",
  groups: [string, string],
) {
  const axis = axisOf(contrasts, measure, g.plots[0]!.right - g.plots[0]!.left);
  const names = contrasts.map((c): [string, string] => [c.group_1, c.group_2]);
  return {
    g,
    axis,
    measure,
    scales: g.plots.map((plot) => scaleOf(axis, plot)),
    names: names.length ? names : [groups],
  };
}

/** Widths of the longest word and the longest interval: of many, the longest by letters. */
export function widest(words: readonly string[], ranges: readonly string[]) {
  return {
    name: Math.ceil(textWidth(longest(words), 12, true)) + 6,
    range: Math.ceil(textWidth(longest(ranges), 12)),
  };
}

const longest = (texts: readonly string[]) =>
  texts.reduce((best, text) => (text.length > best.length ? text : best), "");
