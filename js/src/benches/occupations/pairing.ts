/** How many cue pairs the groups make, and what that is called. */
import type { Group } from "../../generated/occupations";
import { many } from "../../lib/format";
import type { Inputs } from "./store";

type Asked = Pick<Inputs, "groups" | "pairing">;

const sizes = (groups: readonly Group[]) =>
  groups.map((g) => g.terms.filter((t) => t.trim()).length);

/** "8 pairs", "64 pairs", "one pair of means". */
export function pairCount({ groups, pairing }: Asked): string {
  const [one = 0, two = 0] = sizes(groups);
  if (pairing === "sets") return "mean cues";
  if (pairing === "all") return many(one * two, "pair");
  return many(Math.min(one, two), "pair");
}

/** What each way of pairing makes of these lists. */
export function pairingText({ groups, pairing }: Asked): string {
  const counts = sizes(groups);
  const unequal = counts.some((n) => n !== counts[0]);
  if (pairing === "matched") {
    return unequal
      ? `First with first, second with second: the lists have ${counts.join(" and ")} cues. Make them equal, or use all combinations.`
      : `First with first, second with second: ${many(counts[0] ?? 0, "pair")}.`;
  }
  if (pairing === "sets") {
    return `One cue per group: the mean of ${counts.join(" and of ")} vectors.`;
  }
  if (counts.length > 2) return "Each cue of a group with each of another.";
  const [one = 0, two = 0] = counts;
  return `${one} × ${two} = ${one * two} combinations.`;
}
