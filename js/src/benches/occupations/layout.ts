/** Where things stand in the rows, in CSS pixels, for a given width. */
import type { Contrast } from "../../generated/occupations";
import { type Columns, columnsFor, type Row } from "../../lib/chart/Forest";
import { axisTicks, linear, type Scale } from "../../lib/scale";

export const ROW = 20;
/** Most contrasts that fit side by side; of more, the first are shown. */
export const MOST_PLOTS = 6;

export interface Plot {
  left: number;
  right: number;
}

export interface Geometry extends Columns {
  narrow: boolean;
  plots: Plot[];
  /** Of several plots, left end of the ranking. */
  ranking: number | null;
}

const NARROW = 440;
/** Between plots. */
const GAP = { narrow: 14, wide: 22 };
/** Of the ranking, and what stands in its columns in place of the numbers. */
const RANKING = { narrow: 84, wide: 146 };

export function geometry(
  width: number,
  plots: number,
  rows: readonly Pick<Row, "name" | "marks">[],
  heads: readonly string[],
): Geometry {
  const size = width < NARROW ? "narrow" : "wide";
  const narrow = size === "narrow";
  const several = plots > 1;
  const most = narrow ? 92 : several ? 110 : 150;
  const columns = columnsFor(width, rows, { least: 56, most, heads: several ? [] : heads });
  const { left } = columns;
  const end = several ? width - RANKING[size] : columns.right;
  const right = Math.max(left + 40 * plots, end);
  const gap = GAP[size];
  const each = (right - left - gap * (plots - 1)) / plots;
  return {
    ...columns,
    narrow,
    plots: Array.from({ length: plots }, (_, i) => {
      const from = left + i * (each + gap);
      return { left: from, right: from + each };
    }),
    ranking: several ? right + gap / 2 : null,
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
  // Counted from the neutral value, so that it is always labelled.
  const shown = axisTicks([from, high], neutral ?? 0, width, 52);
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
