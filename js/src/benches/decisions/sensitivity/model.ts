/** Where the parts of the sensitivity view stand, and what its model says at a criterion. */
import type { Estimate } from "../../../generated/decisions";
import type { Box } from "../../../lib/boxes";
import { fixed } from "../../../lib/format";
import { px } from "../../../lib/marks";
import { normalCdf } from "../../../lib/normal";
import { linear, type Scale } from "../../../lib/scale";
import { digitsOf } from "../texts";

export interface Places {
  width: number;
  height: number;
  /** Parts that stand beside each other on a wide page, and below each other on a narrow one. */
  roc: Box;
  lines: Box;
  shares: Box;
  forest: Box;
}

const NARROW = 700;
const MOST = 400;
const BETWEEN = 36;
/** Above and below the plot of the ROC. */
export const ROC_ROOM = { left: 34, top: 48, bottom: 58 };
const HEIGHTS = { lines: 478, shares: 200, forest: 274 };

export function places(width: number): Places {
  const narrow = width < NARROW;
  const one = narrow ? width : Math.min(MOST + ROC_ROOM.left, 0.44 * width);
  const size = Math.min(one - ROC_ROOM.left - 12, MOST);
  const rocHeight = ROC_ROOM.top + size + ROC_ROOM.bottom;
  const part = (left: number, right: number, top: number, height: number): Box => ({
    left,
    right,
    top,
    bottom: top + height,
  });
  const roc = part(0, ROC_ROOM.left + size, 0, rocHeight);
  const beside = narrow ? 0 : one + BETWEEN;
  const linesTop = narrow ? roc.bottom + BETWEEN : 0;
  const lines = part(beside, width, linesTop, HEIGHTS.lines);
  const below = Math.max(roc.bottom, lines.bottom) + BETWEEN;
  const shares = part(0, one, below, HEIGHTS.shares);
  const forestTop = narrow ? shares.bottom + BETWEEN : below;
  const forest = part(beside, width, forestTop, HEIGHTS.forest);
  const height = Math.max(shares.bottom, forest.bottom);
  return { width, height, roc, lines, shares, forest };
}

/** Criteria that are drawn: beyond them hardly any evidence lies. */
export const REACH: readonly [number, number] = [-3.5, 3.5];
const FINE = 0.05;

/** Hits and false alarms at a criterion, counted from the middle of both kinds of evidence. */
export const ratesAt = (d: number, criterion: number) => ({
  hits: normalCdf(d / 2 - criterion),
  falseAlarms: normalCdf(-d / 2 - criterion),
});

/** The z-score of a share; of none and of all it lies beyond those that are drawn. */
export function zOf(share: number): number {
  let [low, high] = [-8, 8];
  for (let k = 0; k < 50; k++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** All pairs of false alarms and hits of a sensitivity, from criteria as far out as `reach`. */
export function rocPath(d: number, reach: number, x: Place, y: Place): string {
  const steps = Math.round((2 * reach) / FINE);
  return Array.from({ length: Math.max(0, steps + 1) }, (_, k) => {
    const { hits, falseAlarms } = ratesAt(d, reach - k * FINE);
    return `${k ? "L" : "M"}${px(x(falseAlarms))} ${px(y(hits))}`;
  }).join("");
}

type Place = (share: number) => number;

/** The density of evidence between two criteria, as a line or, closed, as an area. */
export function densityPath(
  mean: number,
  [from, to]: readonly [number, number],
  x: Scale,
  y: Scale,
): string {
  const steps = Math.max(1, Math.round((to - from) / FINE));
  return Array.from({ length: steps + 1 }, (_, k) => {
    const at = from + ((to - from) * k) / steps;
    const z = at - mean;
    return `${k ? "L" : "M"}${px(x(at))} ${px(y(Math.exp((-z * z) / 2)))}`;
  }).join("");
}

/** The axis of the evidence in the part that draws the lines. */
export const evidence = ({ left, right }: Box) => linear(REACH, [left, right]);

export const numberOf = ({ value }: Estimate) => value ?? 0;

/** "1.44" and "1.29 to 1.61", with the decimals that the interval supports. */
export function textsOf({ value, low, high }: Estimate, signed = false): [string, string] {
  if (value === null) return ["none", ""];
  const digits = Math.min(2, digitsOf(low, high));
  const sign = signed && Number(value.toFixed(digits)) > 0 ? "+" : "";
  const ends = [low, high].map((end) => (end === null ? "∞" : fixed(end, digits)));
  return [`${sign}${fixed(value, digits)}`, ends.join(" to ")];
}

/** "−16" and "−25 to −7", in points of per cent. */
export const pointsOf = ({ value, low, high }: Estimate) =>
  textsOf({
    value: value === null ? null : 100 * value,
    low: low === null ? null : 100 * low,
    high: high === null ? null : 100 * high,
  });

/** Whether the second group's mark is a square, as everywhere. */
export const SHAPES = ["circle", "square"] as const;
