/**
 * Outputs of a bench in the served app: Python sends what has changed since the last message.
 *
 * Each message has a number. Where one is missing, as after a lost connection, the page asks for
 * the whole. One record is kept for each model, whatever views of it come and go.
 */
import type { HostModel } from "./hostModel";
import { type Delta, patched } from "./lib/delta";

/** Fields of the model: what Python sends, and what the page says that it has. */
const SENT = "outputs";
const SEEN = "outputs_seen";
/** No message has this number. */
const NONE = -1;

interface Message {
  n: number;
  /** Whether it holds all outputs, whatever was there before. */
  whole?: boolean;
  /** By name, those that end a wait last. */
  changed?: Record<string, Delta>;
}

export class Outputs {
  readonly #values = new Map<string, unknown>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #number: number;
  #questions = 0;

  private constructor(private readonly model: HostModel) {
    const { n, changed } = this.#sent();
    // What came before there was a view to take it has gone by, whatever number it has.
    this.#number = changed ? NONE : n;
  }

  /** Those of a model; null where it is not one of the served app. */
  static of(model: HostModel): Outputs | null {
    const data = model.model?.data;
    if (!data || typeof model.get(SENT) !== "string") return null;
    let outputs = known.get(data);
    if (!outputs) {
      outputs = new Outputs(model);
      known.set(data, outputs);
    }
    return outputs;
  }

  /**
   * Follows the messages through a view's model; returns how to stop that.
   *
   * A message may have gone by while the page had no view: it says what it has.
   */
  follow(model: HostModel): () => void {
    const event = `change:${SENT}`;
    const take = () => this.#take();
    model.on(event, take);
    this.#say();
    return () => model.off(event, take);
  }

  get(name: string, first: unknown): unknown {
    return this.#values.has(name) ? this.#values.get(name) : first;
  }

  on(name: string, call: () => void): () => void {
    const calls = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, calls.add(call));
    return () => calls.delete(call);
  }

  #take(): void {
    const { n, whole, changed = {} } = this.#sent();
    if (n === this.#number) return; // another view of the model has taken it
    if (!whole && n !== this.#number + 1) {
      this.#say();
      return;
    }
    this.#number = n;
    const names = Object.keys(changed);
    for (const name of names) {
      const before = this.get(name, unpacked(this.model.get(name)));
      this.#values.set(name, patched(before, changed[name]!));
    }
    for (const name of names) for (const call of [...(this.#listeners.get(name) ?? [])]) call();
  }

  /** Says what the page has; Python sends the whole where that is not the newest. */
  #say(): void {
    this.#questions += 1;
    this.model.model?.data?.setv({ [SEEN]: [this.#number, this.#questions] });
  }

  #sent(): Message {
    return JSON.parse((this.model.get(SENT) as string) || '{"n":0}');
  }
}

const known = new WeakMap<object, Outputs>();

const read = new WeakMap<object, unknown>();

/** The record in a `{ json: text }`, as which records travel; anything else as it is. */
export function unpacked(value: unknown): unknown {
  const text = (value as { json?: unknown } | null | undefined)?.json;
  if (typeof text !== "string") return value;
  if (!read.has(value as object)) read.set(value as object, JSON.parse(text));
  return read.get(value as object);
}
