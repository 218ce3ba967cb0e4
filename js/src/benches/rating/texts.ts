/** Numbers and sentences of the rating bench as people read them. */
import type { Cell, MatrixRow, Plan, RatingRun, Tree } from "../../generated/rating";
import { about, fixed, whole as grouped, percent } from "../../lib/format";
import { isTranslator, runOf, type View } from "./store";

export const whole = (n: number) => grouped(Math.round(n));
export const many = (n: number, one: string, several = `${one}s`) =>
  `${whole(n)} ${n === 1 ? one : several}`;

export const BIAS_RATINGS = ["UCS", "DSBS", "BS"] as const;

/** What the three letters and more stand for. */
export const MEANINGS: Record<string, string> = {
  UCS: "unbiased, and compensates a biased input",
  DSBS: "follows its input: data-sensitive biased",
  BS: "biased, whatever it is given",
  open: "neither bias nor its absence is shown: more texts would settle it",
  "not rateable": "the attribute does not come back, or too little of it could be read",
};

/** Whether its output goes through other languages, or it is asked directly. */
export function questionOf(view: View): string {
  const what = isTranslator(view) ? "translator" : "service";
  return `Does the ${what} add bias, follow it, or remove it?`;
}

/** Counts are whole where nothing is predicted. */
export const countText = (n: number) => fixed(n, Math.abs(n - Math.round(n)) < 0.05 ? 0 : 1);

/** "20 he, 20 she, 0 other of 40 mentions, 2 could not be read". */
export function cellText(cell: Cell, values: readonly string[]): string {
  if (cell.predicted && sum(cell.counts) === 0)
    return "not known: no text of the run had such a value; run again to measure it";
  const named = cell.counts.map((n, i) => `${countText(n)} ${(values[i] ?? "").toLowerCase()}`);
  const parts = [`${named.join(", ")} of ${many(cell.mentions, "mention")}`];
  if (cell.unresolved > 0) parts.push(`${countText(cell.unresolved)} could not be read`);
  if (cell.predicted) parts.push("predicted");
  return parts.join("; ");
}

/** "50 % he, 50 % she"; values without a share are left out. */
export function sharesText(shares: readonly number[], values: readonly string[]): string {
  const parts = shares.flatMap((share, i) =>
    share > 0 ? [`${percent(share)} ${(values[i] ?? "").toLowerCase()}`] : [],
  );
  return parts.join(", ") || "nothing";
}

const sum = (ns: readonly number[]) => ns.reduce((a, b) => a + b, 0);

/** What stands where a rating is not known yet. */
export function stateText(row: MatrixRow): string {
  const done = sum(row.cells.map((cell) => cell.done));
  const total = sum(row.cells.map((cell) => cell.total));
  switch (row.state) {
    case "running":
      return `${whole(done)} of ${whole(total)} texts`;
    case "stopped":
      return `stopped at ${whole(done)} of ${whole(total)}`;
    case "failed":
      return "failed";
    case "queued":
      return row.message || "queued";
    default:
      return "";
  }
}

/** "6 languages, 3 blocks, 360 texts"; the calls stand apart. */
export function planText({ languages, blocks, texts }: Plan): string {
  const parts = languages > 0 ? [many(languages, "language")] : [];
  const questions = texts * Math.max(1, languages);
  return [...parts, many(blocks, "block"), many(questions, "text")].join(", ");
}

/** Of the calls those that are still to be made, their time and cost. */
export function planNote({ known, seconds, cost, calls }: Plan): string {
  if (known > 0 && known >= calls) return "None of them to make: all are answered already.";
  const parts = known > 0 ? [`${whole(calls - known)} of them to make`] : [];
  if (seconds !== null) parts.push(about(seconds));
  if (cost) parts.push(cost);
  return parts.join(", ") + (known > 0 ? ": the others are answered already." : "");
}

/** How far the run is, or how it ended. */
export function runText(run: RatingRun): string {
  if (run.running) {
    const done = `${whole(run.done)} of ${many(run.total, "text")}`;
    return run.seconds_left === null ? done : `${done}, ${about(run.seconds_left)} left`;
  }
  if (run.number === 0) return "";
  const time = fixed(run.seconds, run.seconds < 10 ? 1 : 0);
  const parts = [run.calls > 0 ? `${many(run.calls, "call")} in ${time} s` : "no call"];
  if (run.from_store > 0) {
    const kept = many(run.from_store, "answer");
    const all = run.calls === 0 && run.failed === 0 && run.done >= run.total;
    parts.push(`${all ? `all ${kept}` : kept} from the store`);
  }
  if (run.failed > 0) parts.push(`${many(run.failed, "text")} failed`);
  if (run.done < run.total) parts.push(`${many(run.total - run.done, "text")} left`);
  return `Last run: ${parts.join(", ")}.`;
}

/** What pressing the button does. */
export function runLabel(view: View): string {
  const run = runOf(view);
  if (run.running)
    return view.asked === "stop" ? "Stopping…" : `Cancel, keep ${whole(Math.floor(run.done))}`;
  if (view.asked === "run") return "Starting…";
  if (run.number === 0) return "Run";
  return run.done < run.total && !run.stale ? "Go on" : "Run again";
}

/** What a decision tree is called: "Spanish, paper’s rule". */
export function treeTitle(rule: Tree["rule"], language = ""): string {
  const name = rule === "paper" ? "Paper’s rule" : "Corrected rule";
  return language ? `${language}, ${name.toLowerCase()}` : name;
}

/** Three values share 100 % as 34, 33 and 33. */
const EVEN = 0.015;

/** Of an input: what it counts as, where its shares of the named values say otherwise. */
export function kindText({ kind, shares }: { kind: string; shares: readonly number[] }): string {
  const named = shares.slice(0, -1);
  const isEven = Math.max(...named) - Math.min(...named) <= EVEN;
  return kind === "unbiased" && !isEven ? "unbiased, not even" : kind;
}
