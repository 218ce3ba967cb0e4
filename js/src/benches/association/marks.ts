/** Connection types: their names, and their marks. Shape repeats grey; no group colours here. */
import type { Connection } from "../../generated/association";
import type { Shape } from "../../lib/chart/marks";

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
