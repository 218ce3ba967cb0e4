/** What one view of the explorer knows: inputs, the painted answer, and what the hand is doing. */
import type {
  Action,
  Answer,
  Picture,
  Progress,
  PsychometricBenchState,
  SubjectOption,
} from "../../generated/psychometric";
import type { Host } from "../../host";
import { type Clock, Coalescer } from "../../lib/coalesce";
import { Commands, type ReplyRecord } from "../../lib/commands";

type State = PsychometricBenchState;
type Outputs = "answer" | "progress" | "reply" | "subjects";
export type Inputs = Omit<State, Outputs | "generation" | "command">;

/** Stand-ins for fields that a host does not have. */
export const DEFAULTS: Inputs = {
  subject: "",
  word: "",
  words: [],
  pairs: [["female", "male"]],
  selected_pairs: [0],
  pairs_as: "resampled",
  alpha: 0.5,
  noise: 0,
  prior_sd: 0,
  decision: "maximise",
  replicates: 0,
  levels: 21,
  curve: "normal",
  jnd: "quartile",
  scoring: "eq8",
  fit_axis: false,
};

const INPUTS = Object.keys(DEFAULTS) as (keyof Inputs)[];

const NO_ANSWER: Answer = {
  generation: 0,
  state: "empty",
  message: null,
  picture: null,
  unknown: null,
  dropped: [],
  position: "",
};

const NO_PROGRESS: Progress = { done: 0, total: 0, message: "", seconds_left: null };

export interface View {
  inputs: Inputs;
  subjects: SubjectOption[];
  answer: Answer;
  progress: Progress;
  /** Index of the row under the pointer or focus, and of the row held by a click. */
  hovered: number | null;
  pinned: number | null;
  dragging: boolean;
  /** The stimulus handle has the focus: its keys are told. */
  handleFocused: boolean;
  /** An answer is awaited. */
  waiting: boolean;
  /** The last message got no answer in time. */
  overdue: boolean;
  notice: { text: string; ok: boolean } | null;
}

export class Store {
  view: View;
  private readonly coalescer: Coalescer<State>;
  private readonly commands: Commands;
  private readonly listeners = new Set<() => void>();
  private readonly stopListening: () => void;
  private disposed = false;

  constructor(
    private readonly host: Host<State>,
    clock?: Clock,
  ) {
    this.view = {
      inputs: this.readInputs(),
      subjects: host.get("subjects") ?? [],
      answer: normalAnswer(host.get("answer")),
      progress: host.get("progress") ?? NO_PROGRESS,
      hovered: null,
      pinned: null,
      dragging: false,
      handleFocused: false,
      waiting: false,
      overdue: false,
      notice: null,
    };
    this.coalescer = new Coalescer<State>(
      {
        generation: () => host.get("generation") ?? 0,
        send: (changes, generation) => {
          host.save({ ...changes, generation });
        },
      },
      () => this.update({ overdue: true, waiting: this.coalescer.inFlight }),
      undefined,
      clock,
    );
    this.coalescer.answered(this.view.answer.generation);
    this.commands = new Commands(
      () => Math.max(host.get("command")?.id ?? 0, host.get("reply")?.id ?? 0),
      (command) => host.save({ command }),
      undefined,
      clock,
    );
    this.stopListening = host.on([...INPUTS, "subjects", "answer", "progress", "reply"], (name) =>
      this.changed(name),
    );
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Changes inputs: on the screen at once, in Python as soon as it can take them. */
  set(changes: Partial<Inputs>): void {
    const inputs = { ...this.view.inputs, ...changes };
    const moved = INPUTS.filter((name) => inputs[name] !== this.view.inputs[name]);
    if (moved.length === 0) return;
    // A row means something else under another word, pair or subject.
    const keep = moved.every((name) => name === "alpha" || name === "jnd" || name === "curve");
    this.view = { ...this.view, inputs, pinned: keep ? this.view.pinned : null };
    const sent = Object.fromEntries(moved.map((name) => [name, inputs[name]])) as Partial<Inputs>;
    this.coalescer.change(sent);
    this.update({ waiting: this.coalescer.inFlight });
  }

  /** Steps through the words, round and round. */
  step(by: -1 | 1): void {
    const { word, words } = this.view.inputs;
    if (words.length === 0) return;
    const at = words.indexOf(word);
    const to = at < 0 ? (by > 0 ? 0 : words.length - 1) : (at + by + words.length) % words.length;
    this.set({ word: words[to]! });
  }

  /** Does what a button of a message says. */
  act(action: Action): void {
    if (action.set) this.set(action.set as Partial<Inputs>);
    if (action.command) void this.command(action.command, action.args);
  }

  /** Sends a command; the reply's message is shown in the footer. */
  async command(name: string, args?: Record<string, unknown>): Promise<ReplyRecord> {
    this.update({ notice: null });
    const reply = await this.commands.run(name, args);
    this.notify(reply.message, reply.ok);
    return reply;
  }

  notify(text: string, ok = true): void {
    this.update({ notice: text ? { text, ok } : null });
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

  dispose(): void {
    this.disposed = true;
    this.stopListening();
    this.coalescer.dispose();
    this.commands.dispose();
    this.listeners.clear();
  }

  private readInputs(): Inputs {
    const read = INPUTS.map((name) => [name, this.host.get(name) ?? DEFAULTS[name]]);
    return Object.fromEntries(read) as Inputs;
  }

  private changed(name: keyof State): void {
    if (name === "answer") this.answered(normalAnswer(this.host.get("answer")));
    else if (name === "progress")
      this.update({ progress: this.host.get("progress") ?? NO_PROGRESS });
    else if (name === "subjects") this.update({ subjects: this.host.get("subjects") ?? [] });
    else if (name === "reply") {
      const reply = this.host.get("reply");
      if (reply) this.commands.replied(reply);
    } else this.inputChanged(name as keyof Inputs);
  }

  /** Python, another view or a linked widget moved an input: follow, unless the hand is newer. */
  private inputChanged(name: keyof Inputs): void {
    if (name in this.coalescer.pending) return;
    const value = this.host.get(name) ?? DEFAULTS[name];
    if (value === this.view.inputs[name]) return;
    this.update({ inputs: { ...this.view.inputs, [name]: value } });
  }

  private answered(answer: Answer): void {
    if (!this.coalescer.answered(answer.generation)) return;
    const rows = answer.picture?.rows.switch.length ?? 0;
    const within = (row: number | null) => (row !== null && row < rows ? row : null);
    this.update({
      answer,
      waiting: this.coalescer.inFlight,
      overdue: false,
      hovered: within(this.view.hovered),
      pinned: within(this.view.pinned),
    });
  }

  private update(changes: Partial<View>): void {
    if (this.disposed) return;
    this.view = { ...this.view, ...changes };
    for (const listener of this.listeners) listener();
  }
}

const NO_ROWS = { replicate: [], pair: [], switch: [], sim_1: [], sim_2: [], sim_cues: [] };
const NO_CURVE = { alpha: [], share: [], low: [], high: [] };

/** An answer in which nothing is missing, whatever version of Python wrote it. */
export function normalAnswer(answer: Partial<Answer> | undefined | null): Answer {
  const full = { ...NO_ANSWER, ...answer };
  return { ...full, dropped: full.dropped ?? [], picture: normalPicture(full.picture) };
}

function normalPicture(picture: Partial<Picture> | null): Picture | null {
  if (!picture) return null;
  return {
    word: "",
    cue_1: "cue 1",
    cue_2: "cue 2",
    caveat: "",
    lean: "unknown",
    row_noise: 0,
    pse: Number.NaN,
    corpus: null,
    monte_carlo: null,
    interval_level: 0.95,
    interval_over: "resampled corpora",
    jnd: null,
    outside: 0,
    unit: "",
    ...picture,
    pairs: picture.pairs ?? [],
    verdict: picture.verdict ?? [],
    footer: picture.footer ?? [],
    axis: picture.axis ?? [0, 1],
    rows: { ...NO_ROWS, ...picture.rows },
    curve: { ...NO_CURVE, ...picture.curve },
    levels: { alpha: [], share: [], ...picture.levels },
  };
}
