/** What one view of the posterior bench knows, besides what every bench does. */
import {
  type Answer,
  FIELDS,
  type Inputs,
  NO_ANSWER,
  NO_PICTURE,
  NO_PLANE,
  NO_PORTRAITS,
  NO_QUANTITY,
  NO_RUN_STATE,
  NO_WORDS,
  type Outputs,
  type PosteriorBenchState,
  type RunState,
  type WordRow,
  type Words,
} from "../../generated/posterior";
import type { Host } from "../../host";
import { answerReader } from "../../lib/bench/records";
import { RunStore } from "../../lib/bench/runStore";
import type { BenchView } from "../../lib/bench/store";
import type { Clock } from "../../lib/coalesce";

type State = PosteriorBenchState;

export type { Inputs };

/** A chain and a column of the traces; all of them mark it. */
export interface Place {
  chain: number;
  /** Of lines a step of the chain, warm-up counted; of rows of colour a block. */
  column: number;
}

interface Hand {
  /** The word under the pointer or the keys, in every view. */
  hovered: string | null;
  place: Place | null;
  /** Which trace the place was pointed at in. */
  quantity: string;
  /** A few chains as lines, or all as rows of colour. */
  traced: "lines" | "all";
  listed: "picture" | "table";
  /** The portrait that is picked, by its place on the sheet. */
  face: number | null;
  /** How often in a row the word is said, as a place among the exponents. */
  power: number | null;
  /** Asked to begin or to stop, and Python has not yet. */
  asked: "run" | "stop" | null;
}

export type View = BenchView<Inputs, Answer> & Outputs & Hand;

export class Store extends RunStore<Inputs, Answer, Hand, Outputs> {
  constructor(to: Host<State>, clock?: Clock) {
    const local: Hand = {
      hovered: null,
      place: null,
      quantity: "",
      traced: "lines",
      listed: "picture",
      face: null,
      power: null,
      asked: null,
    };
    super(to, { ...FIELDS, local, normal: normalAnswer }, clock);
  }

  show(look: Partial<Pick<Hand, "traced" | "listed">>): void {
    this.update({ ...look, place: null });
  }

  hover(word: string | null): void {
    if (word !== this.view.hovered) this.update({ hovered: word });
  }

  point(quantity: string, place: Place | null): void {
    const now = this.view.place;
    const same = place?.chain === now?.chain && place?.column === now?.column;
    if (!same || quantity !== this.view.quantity) this.update({ place, quantity });
  }

  /** Picks a word; the picked one again lets it go. */
  pick(word: string): void {
    this.set({ word: word === pickedOf(this.view) ? "" : word });
  }

  pickFace(face: number): void {
    this.update({ face });
  }

  setPower(power: number): void {
    this.update({ power });
  }

  /** Starts a run, or stops the one that runs; draws so far are kept. */
  toggle(): Promise<void> {
    return this.begin(this.run.running ? "stop" : "run", (name) => this.ask(name));
  }
}

export const normalAnswer = answerReader(NO_ANSWER, NO_PICTURE, {
  quantities: NO_QUANTITY,
  plane: NO_PLANE,
  words: NO_WORDS,
  portraits: NO_PORTRAITS,
});

export const runOf = ({ answer }: Pick<View, "answer">): RunState =>
  answer.picture?.run ?? NO_RUN_STATE;

/** Whether something was drawn at all. */
export const isBegun = (view: View) => runOf(view).number > 0;

/** All rows of words on the screen, the closest first. */
export function rowsOf(words: Words | null): WordRow[] {
  if (!words) return [];
  const { closest, farthest, picked } = words;
  const all = [...closest, ...farthest, ...(picked ? [picked] : [])];
  return [...new Map(all.map((row) => [row.word, row])).values()];
}

/** The row of a word; Python may write the picked one in another way than it was typed. */
export function rowFor({ answer, inputs }: View, word: string): WordRow | null {
  const words = answer.picture?.words ?? null;
  if (word && word === inputs.word && words?.picked) return words.picked;
  return rowsOf(words).find((row) => row.word === word) ?? null;
}

/** The picked word as Python writes it. */
export const pickedOf = ({ answer, inputs }: View): string =>
  (inputs.word && answer.picture?.words?.picked?.word) || inputs.word;

/** The word that the readout tells of: the hovered one, else the picked one. */
export const wordNow = (view: View): string => view.hovered ?? view.inputs.word;

/** The two labels in the plane; the shown one first. */
export function labelsOf(view: View): [string, string] {
  const { picture } = view.answer;
  const shown = picture?.label || view.inputs.label;
  return [shown, picture?.other || view.labels.find((l) => l !== shown) || ""];
}

/** Colour and shape of a label, the same whichever is shown: 1 round, 2 square. */
export function toneOf(view: View, label: string): 1 | 2 {
  const [shown, other] = labelsOf(view);
  if (/pos/i.test(label)) return 1;
  if (/neg/i.test(label)) return 2;
  const another = label === shown ? other : shown;
  if (/pos/i.test(another)) return 2;
  if (/neg/i.test(another)) return 1;
  const order = view.labels.length > 0 ? view.labels : [shown, other];
  return order.indexOf(label) <= order.indexOf(another) ? 1 : 2;
}
