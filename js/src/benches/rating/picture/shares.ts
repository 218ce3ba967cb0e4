/** Shares of any number of values, moved by the edges between them. */
import type { DistributionState } from "../../../generated/rating";
import { clamp } from "../../../lib/scale";

/**
 * The shares when the edge after the value drawn at `edge` is brought to a place of the bar: only
 * the two values beside it change. In whole per cent.
 */
export function movedEdge(
  shares: readonly number[],
  order: readonly number[],
  edge: number,
  to: number,
): number[] | null {
  const [one, next] = [order[edge], order[edge + 1]];
  if (one === undefined || next === undefined) return null;
  const percents = shares.map((share) => Math.round(100 * share));
  const before = order.slice(0, edge).reduce((sum, value) => sum + percents[value]!, 0);
  const both = percents[one]! + percents[next]!;
  const first = clamp(Math.round(100 * to) - before, 0, both);
  const moved = [...percents];
  moved[one] = first;
  moved[next] = both - first;
  return moved.map((percent) => percent / 100);
}

/**
 * The shares that an unbiased input may have: no named value farther from an even share than the
 * rule's margin, beyond which it would be a biased one. A design that begins beyond it is left alone.
 */
export function heldEven(
  { kind, shares: before }: DistributionState,
  shares: readonly number[],
  margin: number,
): number[] {
  const far = fromEven(shares);
  const bound = margin + ROUNDING;
  if (kind !== "unbiased" || far <= bound || fromEven(before) > bound) return [...shares];
  const named = shares.slice(0, -1);
  const rest = Math.round(100 * shares.at(-1)!);
  const even = (100 - rest) / named.length;
  const percents = named.map((v) => Math.round(even + ((100 * v - even) * margin) / far));
  const off = percents.map((v) => Math.abs(v - even));
  percents[off.indexOf(Math.min(...off))]! += 100 - rest - percents.reduce((a, b) => a + b, 0);
  return [...percents, rest].map((v) => v / 100);
}

/** How far the named value that is farthest from an even share is from it. */
function fromEven(shares: readonly number[]): number {
  const named = shares.slice(0, -1);
  const even = (1 - (shares.at(-1) ?? 0)) / named.length;
  return Math.max(...named.map((v) => Math.abs(v - even)));
}

/** Half a per cent: shares are whole ones. */
const ROUNDING = 0.005;

/** Shares that differ from those of before; else null. */
export const other = (shares: readonly number[] | null, before: readonly number[]) =>
  shares?.some((share, i) => share !== before[i]) ? shares : null;
