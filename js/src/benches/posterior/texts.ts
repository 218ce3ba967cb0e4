/** Numbers and sentences of the posterior bench as people read them. */
import type { Cloud, Quantity, RunState, Trace, WordRow } from "../../generated/posterior";
import { about, fixed, whole as grouped } from "../../lib/format";
import { rowOf, sizes, unpack } from "../../lib/packed";
import { wordOf } from "./portraits/portraits";
import { type Inputs, type Place, runOf, type View } from "./store";

export const whole = (n: number) => grouped(Math.round(n));

const known = (v: number | null | undefined): v is number =>
  typeof v === "number" && Number.isFinite(v);

export const number = (v: number | null | undefined, digits: number) =>
  known(v) ? fixed(v, digits) : "–";

export const count = (v: number | null | undefined) => (known(v) ? whole(v) : "–");

/** Three digits that count, as far as five decimals go: "0.0152", "12.3", "1,240". */
export function significant(v: number | null | undefined): string {
  if (!known(v)) return "–";
  if (Math.abs(v) >= 1000) return whole(v);
  return fixed(
    v,
    Math.min(5, Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(v), 1e-4))))),
  );
}

/** A number with a sign even where it is positive. */
export const signed = (v: number, digits: number) => (v > 0 ? "+" : "") + fixed(v, digits);

/** Decimals that show how wide an interval is. */
export function digitsOf(low: number, high: number, least = 3): number {
  const width = Math.abs(high - low);
  if (!(width > 0)) return least;
  return Math.min(6, Math.max(least, 1 - Math.floor(Math.log10(width / 2))));
}

export const distanceText = (row: WordRow) => fixed(row.distance, 4);

/** Half of the interval, as what stands behind "±". */
export const halfText = ({ low, high }: WordRow) =>
  fixed((high - low) / 2, Math.max(4, digitsOf(low, high, 4)));

export const ENGINES: { value: Inputs["engine"]; label: string; text: string }[] = [
  {
    value: "vectorised",
    label: "HMC, many chains",
    text: "Hamiltonian Monte Carlo, all chains side by side.",
  },
  { value: "nuts", label: "NUTS", text: "Pyro’s own NUTS, as in Liang and Acuna (2020): slow." },
  {
    value: "exact",
    label: "Exact",
    text: "Draws from the prior, kept with probability p(label | s).",
  },
  { value: "choices", label: "Choices", text: "Only choices between two stimuli, as with people." },
];

/** "HMC": an engine without what stands behind the comma. */
export const engineText = (engine: string) =>
  ENGINES.find(({ value }) => value === engine)?.label.split(",")[0] ?? engine;

/** What pressing Run asks, in one sentence. */
export function askText(view: View): string {
  const { inputs, priors, labels } = view;
  if (inputs.space === "portraits") return portraitText(inputs, wordOf(view));
  const { chains, draws, label, engine, prior, prior_width: width } = inputs;
  const name = priors.find((p) => p.key === prior)?.name || prior;
  const of = labels.length > 1 ? "label" : label;
  const other = labels.length === 2 ? `“${labels.find((l) => l !== label)}”` : "one other label";
  const each = labels.length > 1 ? `For “${label}” and for ${other}, ` : "";
  const widened = width === 1 ? "" : `, its spread times ${fixed(width, 2)}`;
  const how =
    engine === "exact"
      ? `${whole(chains * draws)} stimuli s are drawn`
      : `${whole(chains)} chains draw ${whole(draws)} stimuli s each`;
  return `${each}${how} from p(s | ${of}): p(${of} | s) times the prior p(s), ${lowerFirst(name)}${widened}.`;
}

function portraitText(inputs: Inputs, word: string): string {
  const { portrait_chains: chains, portrait_draws: draws, show, other } = inputs;
  const words = show === "both" && other ? `“${word}” and for “${other}”` : `“${word}”`;
  return `For ${words}, ${whole(chains)} chains draw ${whole(draws)} portraits each: p(word | portrait) times the distribution that portraits are drawn from.`;
}

const lowerFirst = (text: string) =>
  /^[A-Z][a-z]/.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text;

/** How far a run is, from 0 to 1. */
export const shareOf = ({ done, total }: RunState) =>
  total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;

/** "sampling, 43 %, about 3 s left". */
export function progressText(run: RunState): string {
  const known = run.seconds_left !== null && run.done < run.total;
  const left = known ? `, ${about(run.seconds_left!)} left` : "";
  return `${run.stage || "running"}${left}`;
}

/** How a run ended, or that it goes on. */
export function endText(view: View): string {
  const run = runOf(view);
  if (run.number === 0) return "";
  if (run.partial) return `stopped early, ${whole(run.draws)} draws a chain kept`;
  return "done";
}

/** "s₁₇": digits of a dimension as an index. */
export const subscript = (text: string) =>
  text.replace(
    /^s_(\d+)/,
    (_, digits: string) => `s${[...digits].map((d) => "₀₁₂₃₄₅₆₇₈₉"[+d]).join("")}`,
  );

/** The dimensions that are typed as "3, 17"; what is wrong with them where something is. */
export function readDimensions(
  text: string,
  dimensions: number,
  most: number,
): { found: number[]; problem: string } {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  const found = [...new Set(parts.map((part) => Number(part.replace(/^s_?/i, ""))))];
  const fail = (problem: string) => ({ found: [], problem });
  if (found.some((d) => !Number.isInteger(d) || d < 0))
    return fail("Type whole numbers, such as 3, 17.");
  if (dimensions > 0 && found.some((d) => d >= dimensions))
    return fail(`The last dimension is ${dimensions - 1}.`);
  if (found.length > most) return fail(`At most ${most} dimensions.`);
  return { found, problem: "" };
}

/**
 * What a place in the traces tells: chain, draw and value.
 *
 * @param warmup - Steps of warm-up; of a dimension they are not shown.
 */
export function placeText(
  trace: Trace,
  { chain, column }: Place,
  traced: View["traced"],
  warmup: number,
): string {
  const name = subscript(trace.label || trace.name).replace(/, worst.*/, "");
  const numbers = unpack(traced === "lines" ? trace.lines : trace.strips);
  const [chains, columns] = sizes(numbers);
  if (chain >= chains) return "";
  const row = rowOf(numbers, chain);
  if (traced === "lines") {
    const value = row[column - (warmup - trace.warmup)];
    const at =
      column < warmup ? `warm-up ${whole(column + 1)}` : `draw ${whole(column - warmup + 1)}`;
    return `chain ${chain + 1}, ${at}: ${name} ${significant(value)}`;
  }
  return `chain ${chain + 1}, block ${column + 1} of ${columns}: ${name} ${significant(row[column])}; mean of the chain ${significant(meanOf(row))}, of all chains ${significant(meanOf(numbers.values))}`;
}

export function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  let n = 0;
  for (let i = 0; i < values.length; i++) {
    const v = values[i]!;
    if (!Number.isNaN(v)) {
      sum += v;
      n++;
    }
  }
  return n === 0 ? Number.NaN : sum / n;
}

/** What a screen reader says of a quantity. */
export function quantityLabel(q: Quantity, chains: number): string {
  return `${subscript(q.label)}: R-hat ${number(q.rhat, 3)}, effective sample ${count(q.ess_bulk)} in the bulk and ${count(q.ess_tail)} in the tails, over ${whole(chains)} chains`;
}

/** "64,000 draws of p(s | positive)". */
export function cloudText(clouds: readonly Cloud[]): string {
  const parts = clouds.map(
    ({ label, points }) => `${whole(points.shape[0] ?? 0)} draws of p(s | ${label})`,
  );
  return parts.join(", ");
}
