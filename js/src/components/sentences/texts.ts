/** Numbers and sentences of the sentence bench as people read them. */
import type { ModelRow, PairRow, RunState, Sentences, Share } from "../../generated/sentences";
import { about, fixed, plural, points } from "../../lib/format";
import type { Outcome, View } from "./store";
import { runOf } from "./store";

export const QUESTION = "Which version of a sentence does the model find more probable?";

export const whole = (n: number) => n.toLocaleString("en");
export const many = (n: number, one: string, several = `${one}s`) =>
  `${whole(n)} ${n === 1 ? one : several}`;

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
  if (share.ties > 0) counts.push(plural(share.ties, "tie"));
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

/** How far the test is, or how it ended. */
export function runText(run: RunState, models: readonly ModelRow[]): string {
  const scored = `${whole(run.done)} of ${whole(run.total)} scored`;
  if (run.running)
    return run.seconds_left === null ? scored : `${scored}, ${about(run.seconds_left)} left`;
  if (run.number === 0) return "";
  const parts: string[] = [];
  const time = run.seconds < 10 ? fixed(run.seconds, 1) : fixed(run.seconds, 0);
  const done = models.filter((m) => m.state === "done").length;
  if (done > 0) parts.push(`${many(done, "model")}, same sentences, ${time} s`);
  if (run.unscored > 0) parts.push(`${whole(run.unscored)} not scored yet`);
  if (run.stale) parts.push("settings have changed since");
  return parts.join("; ");
}

/** What pressing Test does. */
export function testText(view: View): string {
  const run = runOf(view);
  if (run.running)
    return view.asked === "stop" ? "Stopping…" : `Stop, keep ${whole(Math.floor(run.done))}`;
  if (view.asked === "test") return "Starting…";
  if (run.number === 0) return "Test";
  return run.unscored > 0 ? "Go on" : "Test again";
}

/** "192 pairs, 6 rejected with reasons". */
export function countText({ pairs, rejected }: Sentences): string {
  const found = many(pairs.length, "pair");
  return rejected.length > 0 ? `${found}, ${whole(rejected.length)} rejected` : found;
}

/** "algebra, pair 4 of 12"; "pair 368 of 1,507" where pairs are about no attribute. */
export function placeText(pairs: readonly PairRow[], pair: PairRow): string {
  const same = pairs.filter((p) => p.attribute === pair.attribute && p.list === pair.list);
  const place = `pair ${whole(same.indexOf(pair) + 1)} of ${whole(same.length)}`;
  return pair.attribute ? `${pair.attribute}, ${place}` : place;
}
