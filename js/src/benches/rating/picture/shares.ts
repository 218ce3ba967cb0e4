/** Shares of any number of values, moved by the edges between them. */
import { clamp } from "../../../lib/scale";
import type { Store } from "../store";

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

/** The shares of a block as they are now. */
export const sharesOf = (store: Store, block: number): readonly number[] =>
  store.view.inputs.distributions[block]?.shares ?? [];

/** Shares that differ from those of before; else null. */
export const other = (shares: readonly number[] | null, before: readonly number[]) =>
  shares?.some((share, i) => share !== before[i]) ? shares : null;
