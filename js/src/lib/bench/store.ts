/** What one view of a bench knows: inputs, the painted answer, and what the hand is doing. */

import { NO_LINE, NO_PROGRESS, type Reply } from "../../generated/shared";
import type { Host } from "../../host";
import { browserClock, type Clock, Coalescer, waitingFor } from "../coalesce";
import { Commands } from "../commands";
import { keepIdentity } from "../identity";
import type { Limits } from "../ui/NumberField";
import type {
  Action,
  BenchAnswer,
  Exchange,
  Line,
  Misfit,
  Progress,
  SubjectOption,
} from "./records";

/** An answer that nobody gave within this time is asked for. */
const SILENCE = 600;

/** Inputs that only change the view go to Python at most once in this time. */
const VIEW_EVERY = 100;

/** Outputs of every bench besides the answer, before Python has told anything. */
const NOTHING: Shared = {
  subjects: [],
  misfits: [],
  progress: NO_PROGRESS,
  line: NO_LINE,
};

interface Shared {
  subjects: SubjectOption[];
  misfits: Misfit[];
  progress: Progress;
  /** The jobs up to this bench's own, while that waits for its turn. */
  line: Line;
}

/** What is seen of a bench; a bench adds what its own hand does. */
export interface BenchView<I, A extends BenchAnswer> extends Shared {
  inputs: I;
  answer: A;
  /** An answer is awaited. */
  waiting: boolean;
  /** The last message got no answer in time. */
  overdue: boolean;
  notice: { text: string; ok: boolean } | null;
}

/** A view as the parts see it that all benches share. */
export type AnyView = BenchView<object, BenchAnswer>;

/** What those parts do with a store. */
export interface AnyStore {
  act(action: Action): void;
  command(name: string, args?: Record<string, unknown>): Promise<Reply>;
  ask(name: string, args?: Record<string, unknown>): Promise<Reply>;
  quietly(name: string, args?: Record<string, unknown>): Promise<void>;
  notify(text: string, ok?: boolean): void;
}

interface Bench<I, A extends BenchAnswer, L, O> {
  /** Stand-ins for inputs that a host does not have. */
  defaults: I;
  /** Those of them that only change the view: no answer is awaited for them. */
  views: readonly (keyof I)[];
  /** What numbers may be, by the input that is one or holds some. */
  limits: Partial<Record<keyof I, object>>;
  /** What Python tells besides the answer, before it has told anything. */
  outputs: O;
  /** What only this view knows, at first. */
  local: L;
  /** An answer in which nothing is missing, whatever version of Python wrote it. */
  normal(answer: Partial<A> | null | undefined): A;
}

export class BenchStore<
  I extends object,
  A extends BenchAnswer,
  L extends object = Record<never, never>,
  O extends object = Record<never, never>,
> {
  view: BenchView<I, A> & O & L;
  readonly #names: (keyof I & string)[];
  readonly #coalescer: Coalescer<object>;
  readonly #commands: Commands;
  readonly #listeners = new Set<() => void>();
  readonly #stopListening: () => void;
  readonly #stopAsking: () => void;
  protected readonly clock: Clock;
  #unsaved: Partial<I> = {};
  #stopSaving: (() => void) | null = null;
  #disposed = false;
  /** Nobody answers: a field that loses the focus changes nothing any more. */
  #still = false;
  /** The inputs that the answer on the screen is to. */
  #answeredInputs: I;

  constructor(
    private readonly host: Host<Exchange<A>>,
    private readonly bench: Bench<I, A, L, O>,
    clock: Clock = browserClock,
  ) {
    this.clock = clock;
    // A cell that runs keeps the kernel from answering: that is no reason to restart it.
    const patient = waitingFor(() => host.isBusy(), clock);
    this.#names = Object.keys(bench.defaults) as (keyof I & string)[];
    this.view = {
      ...this.#all(bench.outputs),
      ...bench.local,
      inputs: this.#all(bench.defaults),
      ...this.#all(NOTHING),
      answer: bench.normal(host.get("answer")),
      waiting: false,
      overdue: false,
      notice: null,
    };
    this.#coalescer = new Coalescer<object>(
      {
        generation: () => host.get("generation") ?? 0,
        send: (changes, generation) =>
          host.save({ ...this.#takeUnsaved(), ...changes, generation }),
      },
      () => this.update({ overdue: true, waiting: this.#coalescer.inFlight }),
      undefined,
      patient,
    );
    this.#coalescer.answered(this.view.answer.generation);
    this.#commands = new Commands(
      () => Math.max(host.get("command")?.id ?? 0, host.get("reply")?.id ?? 0),
      (command) => host.save({ command }),
      undefined,
      patient,
    );
    const watched = [
      ...Object.keys({ ...bench.defaults, ...bench.outputs, ...NOTHING }),
      "answer",
      "reply",
    ];
    this.#stopListening = host.on(watched as (keyof Exchange<A>)[], (name) => this.#changed(name));
    this.#stopAsking = patient.after(SILENCE, () => this.#askAgain());
    this.#answeredInputs = this.view.inputs;
    host.onGone = () => this.#standStill();
    host.onBack = () => {
      this.#still = false;
    };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Changes inputs: on the screen at once, in Python as soon as it can take them. */
  set(changes: Partial<I>): void {
    const inputs = { ...this.view.inputs, ...changes };
    const moved = this.#names.filter((name) => inputs[name] !== this.view.inputs[name]);
    if (moved.length === 0 || this.#still) return;
    this.view = { ...this.view, ...this.afterSet(moved), inputs };
    const [views, asked]: [Partial<I>, Partial<I>] = [{}, {}];
    for (const name of moved) {
      (this.bench.views.includes(name) ? views : asked)[name] = inputs[name];
    }
    Object.assign(this.#unsaved, views);
    if (Object.keys(asked).length > 0) this.#coalescer.change(asked);
    this.#save();
    this.update({ waiting: this.#coalescer.inFlight });
  }

  /** What a control of an input shows, and does when it is changed. */
  input<N extends keyof I & string>(name: N) {
    return {
      testid: name.replaceAll("_", "-"),
      value: this.view.inputs[name],
      onChange: (value: I[N]) => this.set({ [name]: value } as unknown as Partial<I>),
      ...(this.bench.limits[name] as I[N] extends number ? Limits : object),
    };
  }

  /** Does what a button of a message says. */
  act(action: Action): void {
    if (action.set) this.set(action.set as Partial<I>);
    if (action.command) void this.command(action.command, action.args);
  }

  /** Sends a command; the reply's message is shown in the footer. */
  async command(name: string, args?: Record<string, unknown>): Promise<Reply> {
    this.notify("");
    const reply = await this.ask(name, args);
    this.notify(reply.message, reply.ok);
    return reply;
  }

  /** Sends a command whose reply says nothing in the footer: who asks tells of it. */
  ask(name: string, args?: Record<string, unknown>): Promise<Reply> {
    this.#coalescer.sendNow();
    this.#saveNow();
    return this.#commands.run(name, args);
  }

  /** Sends a command whose outcome is seen: only a refusal is told. */
  async quietly(name: string, args?: Record<string, unknown>): Promise<void> {
    const { ok, message } = await this.ask(name, args);
    this.notify(ok ? "" : message, ok);
  }

  notify(text: string, ok = true): void {
    this.update({ notice: text ? { text, ok } : null });
  }

  dispose(): void {
    this.#saveNow();
    this.#disposed = true;
    this.#stopSaving?.();
    this.#stopListening();
    this.#stopAsking();
    this.#coalescer.dispose();
    this.#commands.dispose();
    this.#listeners.clear();
  }

  /** What changes in this view when inputs were changed by its own hand. */
  protected afterSet(_moved: (keyof I)[]): Partial<L> {
    return {};
  }

  /** What changes in this view when a new answer is painted. */
  protected afterAnswer(_answer: A): Partial<L> {
    return {};
  }

  /** What else changes in this view when Python has told something besides an answer. */
  protected afterOutput(_name: keyof O): Partial<L & O> {
    return {};
  }

  /** Whether there is something to ask about. */
  protected offered(): boolean {
    return this.view.subjects.length > 0;
  }

  protected update(changes: Partial<BenchView<I, A>> | Partial<L> | Partial<O>): void {
    if (this.#disposed) return;
    this.view = { ...this.view, ...changes };
    for (const listener of this.#listeners) listener();
  }

  /** Lets Python know how the bench is looked at: now, or soon where it was told just before. */
  #save(): void {
    if (this.#stopSaving || Object.keys(this.#unsaved).length === 0) return;
    this.#saveNow();
    this.#stopSaving = this.clock.after(VIEW_EVERY, () => {
      this.#stopSaving = null;
      this.#save();
    });
  }

  #saveNow(): void {
    const changes = this.#takeUnsaved();
    if (Object.keys(changes).length > 0) this.host.save(changes as Partial<Exchange<A>>);
  }

  #takeUnsaved(): Partial<I> {
    const changes = this.#unsaved;
    this.#unsaved = {};
    return changes;
  }

  /**
   * An answer can be lost while a served page still opens: the first one, so that nothing at all
   * was said yet, or the one that would have said that the subject is loaded.
   */
  #askAgain(): void {
    const { generation, state, message } = this.view.answer;
    const silent = (state === "empty" && message === null) || state === "loading";
    if (generation === 0 && silent && !this.#coalescer.inFlight && this.offered()) {
      this.#coalescer.change({});
      this.update({ waiting: this.#coalescer.inFlight });
    }
  }

  /** What the host has of a field, or what stands for it in a host that does not have it. */
  #value<T extends object>(name: keyof T & string, instead: T): T[keyof T & string] {
    return this.host.get(name as never) ?? instead[name];
  }

  #all<T extends object>(instead: T): T {
    const names = Object.keys(instead) as (keyof T & string)[];
    return Object.fromEntries(names.map((name) => [name, this.#value(name, instead)])) as T;
  }

  #changed(name: string): void {
    const { host } = this;
    if (name === "answer") this.#answered(this.bench.normal(host.get("answer")));
    else if (name in NOTHING) this.update({ [name]: this.#value(name as keyof Shared, NOTHING) });
    else if (name === "reply") {
      const reply = host.get("reply");
      if (reply) this.#commands.replied(reply);
    } else if (name in this.bench.outputs) {
      const output = name as keyof O & string;
      this.view = { ...this.view, [output]: this.#value(output, this.bench.outputs) };
      this.update(this.afterOutput(output));
    } else this.#inputChanged(name as keyof I & string);
  }

  /** Python, another view or a linked widget moved an input: follow, unless the hand is newer. */
  #inputChanged(name: keyof I & string): void {
    if (name in this.#coalescer.pending || name in this.#unsaved) return;
    const value = this.#value(name, this.bench.defaults);
    if (value === this.view.inputs[name]) return;
    this.update({ inputs: { ...this.view.inputs, [name]: value } });
  }

  /** Nobody answers any more, or not for now: back to the inputs of the last answer. */
  #standStill(): void {
    this.#still = true;
    this.#coalescer.dispose();
    const inputs = this.#answeredInputs;
    const moved = this.#names.filter((name) => inputs[name] !== this.view.inputs[name]);
    this.update({ inputs, waiting: false, overdue: false });
    // Also in the host: the same change, made again later, has to leave as a change.
    if (moved.length > 0)
      this.host.save(Object.fromEntries(moved.map((name) => [name, inputs[name]])));
  }

  #answered(given: A): void {
    if (!this.#coalescer.answered(given.generation)) return;
    if (!this.#coalescer.inFlight) this.#answeredInputs = this.view.inputs;
    const answer = keepIdentity(this.view.answer, given);
    const now = { answer, waiting: this.#coalescer.inFlight, overdue: false };
    this.view = { ...this.view, ...now };
    this.update(this.afterAnswer(answer));
  }
}
