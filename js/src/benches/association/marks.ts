/** Connection types: their names, and their marks. Shape repeats grey; no group colours here. */
import type { Connection } from "../../generated/association";
import { px } from "../../lib/marks";

export type Key = Connection["key"];

export const KEYS: readonly Key[] = ["associated", "different", "human", "none"];

export const LABELS: Record<Key, string> = {
  associated: "associated",
  different: "different group",
  human: "human control",
  none: "neutral control",
};

/** Round, square, diamond or ring, as an outline around a point. */
export function shape(key: Key, x: number, y: number, size = 3.5): string {
  if (key === "different") {
    const s = size * 0.92;
    return `M${px(x - s)} ${px(y - s)}h${px(2 * s)}v${px(2 * s)}h${px(-2 * s)}Z`;
  }
  if (key === "human") {
    const d = size * 1.3;
    return `M${px(x - d)} ${px(y)}l${px(d)} ${px(-d)}l${px(d)} ${px(d)}l${px(-d)} ${px(d)}Z`;
  }
  return `M${px(x - size)} ${px(y)}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`;
}

/** Triangles at the ends of an axis, for values beyond it. */
export function beyond(xs: readonly number[], [from, to]: readonly [number, number], y: number) {
  const left = xs.some((x) => x < from) ? `M${px(from)} ${px(y - 3)}l-5 3l5 3Z` : "";
  const right = xs.some((x) => x > to) ? `M${px(to)} ${px(y - 3)}l5 3l-5 3Z` : "";
  return left + right;
}
