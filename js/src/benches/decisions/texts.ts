/** Numbers and sentences of the decision bench. */
import type { CaseCard, Estimate, Piece } from "../../generated/decisions";
import { about, fixed, many, points, whole } from "../../lib/format";
import { cueOf, isAlone, type View } from "./store";

/** Decimals that an interval supports, as in the sentences of Python. */
export function digitsOf(low: number | null, high: number | null): number {
  if (low === null || high === null) return 1;
  const width = Math.abs(high - low) || 1;
  return Math.min(3, Math.max(0, 1 - Math.floor(Math.log10(width))));
}

export const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** A level as it is: "6", "6.5", "42,000". */
export const levelText = (level: number) =>
  Number(level.toPrecision(10))
    .toLocaleString("en", { maximumFractionDigits: 6 })
    .replace("-", "−");

/** "6 years", "+2 years". */
export function levelOf({ card, inputs }: Pick<View, "card" | "inputs">, level: number): string {
  const sign = !isAlone({ inputs }) && level > 0 ? "+" : "";
  return `${sign}${levelText(level)} ${card.unit}`;
}

/** "1.5 to 3.4"; an end that there is none of is open. */
export function rangeText(low: number | null, high: number | null, digits: number): string {
  const end = (value: number | null, open: string) =>
    value === null ? open : fixed(value, digits);
  return `${end(low, "−∞")} to ${end(high, "∞")}`;
}

export function estimateText({ value, low, high }: Estimate, digits = digitsOf(low, high)): string {
  return value === null ? "none" : fixed(value, digits);
}

/** "52–70", in per cent. */
export const percents = (low: number, high: number) => `${points(low)}–${points(high)}`;

interface Filled {
  kind: Piece["kind"];
  text: string;
  /** Group of the candidate. */
  of: 0 | 1;
}

/** The text of the case as it is sent, with the shown cues and the level at the handle. */
export function filled(view: Pick<View, "card" | "inputs">, wording: number): Filled[] {
  const { card, inputs } = view;
  return (card.wordings[wording - 1] ?? []).map((piece) => {
    const of: 0 | 1 = piece.of < 0 ? (inputs.person === 1 ? 0 : 1) : piece.of === 0 ? 0 : 1;
    if (piece.kind === "text") return { ...piece, of };
    if (piece.kind === "x") return { kind: "x", text: said(view, of), of };
    const cue = card.groups[of]?.cues.find((one) => one.text === cueOf(view, of));
    const name = piece.kind === "cue" ? "text" : piece.kind;
    return { kind: piece.kind, text: cue?.[name] ?? "", of };
  });
}

/** A candidate's level in words: of two, the second group's differs from the middle one. */
function said({ card, inputs }: Pick<View, "card" | "inputs">, of: 0 | 1): string {
  const level = isAlone({ inputs }) ? inputs.x : of === 1 ? card.middle + inputs.x : card.middle;
  const at = Math.round((level - card.lowest) / card.level_step);
  return card.says[Math.min(Math.max(at, 0), card.says.length - 1)] ?? "";
}

/** The question as plain text. */
export const questionText = (view: Pick<View, "card" | "inputs">): string =>
  view.card.question.map((span) => spanText(view, span)).join("");

export const spanText = (
  view: Pick<View, "card" | "inputs">,
  span: CaseCard["question"][number],
): string =>
  span.role === "group1" ? cueOf(view, 0) : span.role === "group2" ? cueOf(view, 1) : span.text;

/** "Asks at most 400 questions: about 24,000 tokens, 0.43 EUR", or its time on this machine. */
export function planText({ plan }: Pick<View, "plan">): string {
  if (plan.questions === 0) return "";
  const most = plan.at_most ? "at most " : "";
  const stored = plan.stored > 0 ? `, ${whole(plan.stored)} of them answered in the store` : "";
  const asks = `Asks ${most}${many(plan.questions, "question")}${stored}`;
  if (plan.time !== "") return `${asks}: ${plan.time} on this machine`;
  const tokens = `about ${whole(rounded(plan.tokens))} tokens`;
  const cost = plan.cost === "" ? "" : `, ${plan.cost}`;
  return `${asks}: ${tokens}${cost}`;
}

/** A rough number: two figures. */
function rounded(n: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(n, 1))) - 1);
  return Math.round(n / power) * power;
}

/** How far the run is, beside its counts: "interval 1.9 years wide, stops at 1.7: about 80 more". */
export function widthText(view: View): string {
  const run = view.answer.picture?.run;
  if (!run || (run.width === null && !run.running)) return "";
  const digits = digitsOf(0, run.width);
  const parts =
    run.width === null ? [] : [`interval ${fixed(run.width, digits)} ${view.card.unit} wide`];
  if (run.running) {
    if (run.wanted) parts.push(`stops at ${fixed(run.wanted, digits)}`);
    else if (run.adaptive) parts.push("stops at a verdict");
    const left = Math.max(0, run.total - run.done);
    const sooner = run.adaptive && run.left !== null && run.left < left;
    const more = sooner ? (run.left ?? left) : left;
    const seconds = run.seconds_left === null ? null : (run.seconds_left * more) / (left || 1);
    const time = seconds === null ? "" : `, ${about(seconds)}`;
    const lead = parts.length > 0 ? `${parts.join(", ")}: ` : "";
    return `${lead}${sooner ? "about" : "at most"} ${whole(more)} more${time}`;
  }
  return parts.join(", ");
}

/** "18,352 tokens, 0.02 EUR, 12 replies from the store". */
export function costText(view: View): string {
  const run = view.answer.picture?.run;
  if (!run) return "";
  const parts = run.tokens > 0 ? [`${whole(run.tokens)} tokens`] : [];
  if (run.cost) parts.push(run.cost);
  if (run.stored > 0) parts.push(`${many(run.stored, "reply", "replies")} from the store`);
  return parts.join(", ");
}
