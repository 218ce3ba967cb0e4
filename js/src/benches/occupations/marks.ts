/** Shapes of words in the rows and the scatter. Shape repeats colour. */
import type { Measure } from "../../generated/occupations";
import { px } from "../../lib/marks";
import { clamp, type Scale } from "../../lib/scale";

/** 1 toward group 1, -1 toward group 2, 0 no clear lean, 2 no interval. */
export type Lean = number;

export const leanClass = (lean: Lean) => (lean === 1 ? "l1" : lean === -1 ? "l2" : "l0");

const circle = (x: number, y: number, r: number) =>
  `M${px(x - r)} ${px(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

/** Round for group 1, square for group 2, a diamond for undecided, a ring where none can say. */
export function shape(lean: Lean, x: number, y: number, size = 4): string {
  if (lean === -1) return `M${px(x - size)} ${px(y - size)}h${2 * size}v${2 * size}h${-2 * size}Z`;
  if (lean === 0) {
    const d = size + 1.5;
    return `M${px(x - d)} ${px(y)}l${d} ${-d}l${d} ${d}l${-d} ${d}Z`;
  }
  return `${circle(x, y, size)}Z`;
}

/** All cue pairs of a word as one path: many thousand are drawn at once. */
export function pairPoints(values: readonly (number | null)[], x: Scale, y: number): string {
  let path = "";
  const [low, high] = x.domain;
  for (const v of values) {
    if (v === null || !Number.isFinite(v) || v < low || v > high) continue;
    path += circle(x(v), y, 2);
  }
  return path;
}

/** Triangles at the ends of the axis, for pairs beyond it. */
export function beyond(values: readonly (number | null)[], x: Scale, y: number): string {
  const [low, high] = x.domain;
  const is = (test: (v: number) => boolean) => values.some((v) => v !== null && test(v));
  const left = is((v) => v < low) ? `M${px(x.range[0])} ${y - 3}l-4 3l4 3Z` : "";
  const right = is((v) => v > high) ? `M${px(x.range[1])} ${y - 3}l4 3l-4 3Z` : "";
  return left + right;
}

/** The interval as far as the axis goes. */
export function intervalLine(measure: Measure, i: number, x: Scale, y: number): string {
  const low = measure.low[i];
  const high = measure.high[i];
  if (low === null || low === undefined || high === null || high === undefined) return "";
  const [from, to] = x.domain;
  if (high < from || low > to) return "";
  const end = (v: number) => px(clamp(x(v), x.range[0], x.range[1]));
  return `M${end(low)} ${y}H${end(high)}`;
}
