/** What one view of the decision bench knows, besides what every bench does. */
import {
  type Answer,
  type DecisionBenchState,
  FIELDS,
  type Inputs,
  NO_ANSWER,
  NO_PICTURE,
  NO_RUN_STATE,
  type Outputs,
  type RunState,
} from "../../generated/decisions";
import type { Host } from "../../host";
import { answerReader } from "../../lib/bench/records";
import { RunStore } from "../../lib/bench/runStore";
import type { BenchView } from "../../lib/bench/store";
import type { Clock } from "../../lib/coalesce";
import { clamp } from "../../lib/scale";

type State = DecisionBenchState;

export type { Inputs };

interface Hand {
  /** The trial under the pointer or the keys, and the one held by a click; 0 for none. */
  hovered: number;
  pinned: number;
  dragging: boolean;
  /** The text of the case in the editor; null while that is closed. */
  draft: string | null;
  /** Asked to begin or to stop, and Python has not yet. */
  asked: "run" | "stop" | null;
}

const AT_REST: Hand = { hovered: 0, pinned: 0, dragging: false, draft: null, asked: null };

export type View = BenchView<Inputs, Answer> & Outputs & Hand;

export class Store extends RunStore<Inputs, Answer, Hand, Outputs> {
  constructor(host: Host<State>, clock?: Clock) {
    const local = AT_REST;
    super(host, { ...FIELDS, local, normal: normalAnswer }, clock);
  }

  /** Moves the handle to the nearest level of the case. */
  move(to: number): void {
    const { low, high, step } = this.view.card;
    const steps = Math.round((clamp(to, low, high) - low) / step);
    this.set({ x: Number((low + steps * step).toPrecision(12)) });
  }

  drag(dragging: boolean): void {
    if (dragging !== this.view.dragging) this.update({ dragging });
  }

  hover(trial: number): void {
    if (trial === this.view.hovered) return;
    this.update({ hovered: trial });
    this.#show();
  }

  /** Holds a trial; the held one again lets it go. */
  pin(trial: number): void {
    this.update({ pinned: trial === this.view.pinned ? 0 : trial });
    this.#show();
  }

  #show(): void {
    const trial = this.view.hovered || this.view.pinned;
    if (trial) this.set({ trial });
  }

  /** Puts a cue into the text of the case. */
  address(group: 0 | 1, cue: string): void {
    const person = group + 1;
    this.set(group === 0 ? { cue_1: cue, person } : { cue_2: cue, person });
  }

  /** Steps to the next of all cues, through both groups. */
  nextCue(): void {
    const { groups } = this.view.card;
    const all = groups.flatMap((group, of) => group.cues.map((cue) => ({ of, text: cue.text })));
    if (all.length === 0) return;
    const { person } = this.view.inputs;
    const now = cueOf(this.view, person === 1 ? 0 : 1);
    const at = all.findIndex((one) => one.text === now);
    const next = all[(at + 1) % all.length]!;
    this.address(next.of === 0 ? 0 : 1, next.text);
  }

  nextWording(): void {
    const count = this.view.card.wordings.length;
    if (count > 0) this.set({ wording: (wordingOf(this.view) % count) + 1 });
  }

  /** Refits without a cue, or with it again. */
  leaveOut(cue: string): void {
    const out = this.view.inputs.without_cues;
    this.set({
      without_cues: out.includes(cue) ? out.filter((one) => one !== cue) : [...out, cue],
    });
  }

  leaveOutWording(wording: number): void {
    const out = this.view.inputs.without_wordings;
    this.set({
      without_wordings: out.includes(wording)
        ? out.filter((one) => one !== wording)
        : [...out, wording],
    });
  }

  edit(draft: string | null): void {
    this.update({ draft });
  }

  /** Takes the edited text as the case, or the catalogue's again. */
  useText(text: string): void {
    this.set({ case_text: text });
    if (text === "") this.edit(null);
  }

  choose(name: string): void {
    this.edit(null);
    this.set({ case: name, case_text: "", groups: [], cue_1: "", cue_2: "", wording: 1 });
  }

  /** Saves a text as an own case and chooses that; returns why it cannot be saved. */
  async saveCase(text: string, title: string): Promise<string> {
    const reply = await this.ask("save-case", { text, title, edited: this.view.inputs.case });
    if (!reply.ok || !reply.content) return reply.message;
    this.choose(reply.content);
    this.notify(reply.message);
    return "";
  }

  /** Deletes an own case and chooses another; returns why it cannot be deleted. */
  async deleteCase(name: string): Promise<string> {
    const reply = await this.ask("delete-case", { name });
    if (!reply.ok) return reply.message;
    this.choose(this.view.cases.find((one) => one.name !== name)?.name ?? "");
    this.notify(reply.message);
    return "";
  }

  /** Starts a run or goes on with it, or stops the one that runs: its answers are kept. */
  toggle(args?: { more: number } | { quick: number } | { anyway: true }): Promise<void> {
    return this.begin(this.run.running ? "stop" : "run", (name) => this.ask(name, args));
  }

  protected override afterSet(moved: (keyof Inputs)[]): Partial<Hand> {
    const others = moved.some((name) => NEW_TRIALS.has(name));
    return others ? { pinned: 0, hovered: 0 } : {};
  }
}

/** Inputs that bring other trials on the screen. */
const NEW_TRIALS: ReadonlySet<string> = new Set([
  "subject",
  "case",
  "case_text",
  "form",
  "groups",
  "all_groups",
]);

export const normalAnswer = answerReader(NO_ANSWER, NO_PICTURE);

/** The pair after a press on a group: another one becomes the second, one of the two swaps them. */
export function pairWith(pair: readonly string[], name: string): string[] {
  const [one = "", two = ""] = pair;
  return name === one || name === two ? [two, one] : [one, name];
}

export const runOf = ({ answer }: Pick<View, "answer">): RunState =>
  answer.picture?.run ?? NO_RUN_STATE;

export const isAlone = ({ inputs }: Pick<View, "inputs">) => inputs.form === "yes or no";

/** The cue of a group that stands in the text. */
export function cueOf({ card, inputs }: Pick<View, "card" | "inputs">, group: 0 | 1): string {
  const cues = card.groups[group]?.cues ?? [];
  const wanted = group === 0 ? inputs.cue_1 : inputs.cue_2;
  return (cues.find((cue) => cue.text === wanted) ?? cues[0])?.text ?? "";
}

/** The wording in the text, from 1. */
export const wordingOf = ({ card, inputs }: Pick<View, "card" | "inputs">) =>
  clamp(inputs.wording, 1, Math.max(1, card.wordings.length));

/** The trial that the dock tells of. */
export const trialOf = ({ hovered, pinned }: Pick<View, "hovered" | "pinned">) => hovered || pinned;
