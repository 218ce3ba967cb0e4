/** Which colour a value has: two are the social groups, the last is none of them. */

/** Values after the first two have colours of their own, which colour-blind people tell apart. */
const MORE = ["v2", "v3", "v4", "v5", "v6", "v7"] as const;

export type Tone = "g1" | "g2" | (typeof MORE)[number] | "other";

/** Group 1 is she, as on every bench, wherever it stands in the list. */
const FIRST = /^(she|her|women|woman|females?)$/i;

/** One per value. */
export function tonesOf(values: readonly string[]): Tone[] {
  const swapped = FIRST.test(values[1] ?? "") && !FIRST.test(values[0] ?? "");
  return values.map((_, i) => {
    if (i === values.length - 1 && values.length > 2) return "other";
    if (i < 2) return (i === 0) !== swapped ? "g1" : "g2";
    return MORE[(i - 2) % MORE.length]!;
  });
}

/** Values in the order in which they are drawn from left to right: group 1 first. */
export function drawnOrder(values: readonly string[]): number[] {
  const tones = tonesOf(values);
  const order = values.map((_, i) => i);
  return tones[0] === "g2" ? [1, 0, ...order.slice(2)] : order;
}
