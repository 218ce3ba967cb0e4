/** Connection types: their names, and their marks. Shape repeats grey; no group colours here. */
import type { Connection } from "../../generated/association";
import type { Shape } from "../../lib/chart/marks";
import { px } from "../../lib/marks";

export type Key = Connection["key"];

export const KEYS: readonly Key[] = ["associated", "different", "human", "none"];

export const LABELS: Record<Key, string> = {
  associated: "associated",
  different: "different group",
  human: "human control",
  none: "neutral control",
};

export const SHAPES: Record<Key, Shape> = {
  associated: "circle",
  different: "square",
  human: "diamond",
  none: "ring",
};

/** Triangles at the ends of an axis, for values beyond it. */
export function beyond(xs: readonly number[], [from, to]: readonly [number, number], y: number) {
  const left = xs.some((x) => x < from) ? `M${px(from)} ${px(y - 3)}l-5 3l5 3Z` : "";
  const right = xs.some((x) => x > to) ? `M${px(to)} ${px(y - 3)}l5 3l-5 3Z` : "";
  return left + right;
}
