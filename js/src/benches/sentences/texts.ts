/** Numbers and sentences of the sentence bench as people read them. */
import type { PairRow, Sentences, Share } from "../../generated/sentences";
import { fixed, many, points, whole } from "../../lib/format";
import type { Outcome } from "./store";

/** Kinds of models in a word. */
export const KINDS = { mlm: "masked", clm: "causal", observer: "simulated" };

export const QUESTION = "Which version of a sentence does the model find more probable?";

/** A difference with its sign: "+1.70", "−0.12". */
export const signed = (v: number, digits = 2) => (v > 0 ? "+" : "") + fixed(v, digits);

/** "57–79 %", or that there is none. */
export function rangeText({ low, high }: Share): string {
  if (low === null || high === null) return "no interval";
  return `${points(low)}–${points(high)} %`;
}

export const shareText = ({ share }: Share) => (share === null ? "–" : `${points(share)} %`);

/** What a screen reader says of a share. */
export function shareSaid(share: Share): string {
  if (share.share === null) return "no score";
  const counts = [`${share.wins} with`, `${share.losses} against`];
  if (share.ties > 0) counts.push(many(share.ties, "tie"));
  if (share.failures > 0) counts.push(`${share.failures} failed`);
  return `${shareText(share)}, ${rangeText(share).replace("–", " to ")}, ${counts.join(", ")}`;
}

export const OUTCOMES: Record<string, string> = {
  s: "with the stereotype",
  a: "against the stereotype",
  t: "tie",
  f: "failed",
  "-": "not scored yet",
};

/** "with the stereotype, log-odds +1.70". */
export function oddsText(value: number | null | undefined, outcome: string): string {
  const said = OUTCOMES[outcome] ?? "";
  return typeof value === "number" ? `${said}, log-odds ${signed(value)}` : said;
}

export const FILTERS: { value: Outcome; label: string }[] = [
  { value: "all", label: "All" },
  { value: "s", label: "With" },
  { value: "a", label: "Against" },
  { value: "t", label: "Ties" },
  { value: "f", label: "Failed" },
];

/** "192 pairs, 6 rejected with reasons". */
export function countText({ pairs, rejected }: Sentences): string {
  const count = many(pairs.length, "pair");
  return rejected.length > 0 ? `${count}, ${whole(rejected.length)} rejected` : count;
}

/** "algebra, pair 4 of 12"; "pair 368 of 1,507" where pairs are about no attribute. */
export function placeText(pairs: readonly PairRow[], pair: PairRow): string {
  const same = pairs.filter((p) => p.attribute === pair.attribute && p.list === pair.list);
  const place = `pair ${whole(same.indexOf(pair) + 1)} of ${whole(same.length)}`;
  return pair.attribute ? `${pair.attribute}, ${place}` : place;
}
