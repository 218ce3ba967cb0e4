/** Places of the small charts: shares from 0 to 100 per cent over a number. */
import { px } from "../../../lib/marks";
import { linear, type Scale } from "../../../lib/scale";

export interface Chart {
  width: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  x: Scale;
  y: Scale;
}

export function chartOf(
  width: number,
  domain: readonly [number, number],
  aside: number,
  high = 150,
): Chart {
  const [left, right, top, bottom] = [34, width - aside, 22, high - 36];
  return {
    width,
    left,
    right,
    top,
    bottom,
    x: linear(domain, [left, right]),
    y: linear([0, 1], [bottom, top]),
  };
}

export const lineOf = (points: readonly (readonly [number, number])[], { x, y }: Chart) =>
  points.map(([a, b], i) => `${i ? "L" : "M"}${px(x(a))} ${px(y(b))}`).join("");

/** Labels at the ends of lines, moved apart until none covers another. */
export function spread(places: readonly number[], least: number, low: number, high: number) {
  const order = places.map((_, i) => i).sort((a, b) => places[a]! - places[b]!);
  const at = [...places];
  order.forEach((i, rank) => {
    const above = rank > 0 ? at[order[rank - 1]!]! + least : low;
    at[i] = Math.max(at[i]!, above);
  });
  const over = order.length > 0 ? Math.max(0, at[order.at(-1)!]! - high) : 0;
  return at.map((y) => y - over);
}
