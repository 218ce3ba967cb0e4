/** What one view of the psychometric bench knows, besides what every bench does. */
import {
  type Answer,
  FIELDS,
  type Inputs,
  NO_ANSWER,
  NO_PICTURE,
  type Outputs,
  type PsychometricBenchState,
} from "../../generated/psychometric";
import type { Host } from "../../host";
import { answerReader } from "../../lib/bench/records";
import { BenchStore, type BenchView } from "../../lib/bench/store";
import type { Clock } from "../../lib/coalesce";

type State = PsychometricBenchState;

export type { Inputs };

interface Hand {
  /** Index of the row under the pointer or focus, and of the row held by a click. */
  hovered: number | null;
  pinned: number | null;
  dragging: boolean;
  /** The stimulus handle has the focus: its keys are told. */
  handleFocused: boolean;
}

const AT_REST = { hovered: null, pinned: null, dragging: false, handleFocused: false };

export type View = BenchView<Inputs, Answer> & Outputs & Hand;

const KEEPS_ROWS: ReadonlySet<string> = new Set(["alpha", "residuals", "jnd", "curve"]);

export class Store extends BenchStore<Inputs, Answer, Hand, Outputs> {
  constructor(host: Host<State>, clock?: Clock) {
    const local = AT_REST;
    super(host, { ...FIELDS, local, normal: normalAnswer }, clock);
  }

  /** Steps through the words, round and round; one that stands twice is stepped to once. */
  step(by: -1 | 1): void {
    const { word } = this.view.inputs;
    const words = [...new Set(this.view.inputs.words)];
    if (words.length === 0) return;
    const at = words.indexOf(word);
    const to = at < 0 ? (by > 0 ? 0 : words.length - 1) : (at + by + words.length) % words.length;
    this.set({ word: words[to]! });
  }

  hover(row: number | null): void {
    if (row !== this.view.hovered) this.update({ hovered: row });
  }

  pin(row: number | null): void {
    this.update({ pinned: row !== null && row === this.view.pinned ? null : row });
  }

  drag(dragging: boolean): void {
    if (dragging !== this.view.dragging) this.update({ dragging });
  }

  focusHandle(handleFocused: boolean): void {
    this.update({ handleFocused });
  }

  /** A row means something else under another word, pair or subject. */
  protected override afterSet(moved: (keyof Inputs)[]): Partial<Hand> {
    const keep = moved.every((name) => KEEPS_ROWS.has(name));
    return keep ? {} : { pinned: null };
  }

  protected override afterAnswer(answer: Answer): Partial<Hand> {
    const rows = answer.picture?.rows.switch.length ?? 0;
    const within = (row: number | null) => (row !== null && row < rows ? row : null);
    return { hovered: within(this.view.hovered), pinned: within(this.view.pinned) };
  }
}

export const normalAnswer = answerReader(NO_ANSWER, NO_PICTURE);
