/** Undo and redo over whole lists: unchanged lists are shared between the steps, not copied. */

interface Step<T> {
  state: T;
  /** What led away from this state, such as "removed nurse". */
  label: string;
}

const KEPT = 200;

export class History<T> {
  #past: Step<T>[] = [];
  #future: Step<T>[] = [];

  get undoes(): string | null {
    return this.#past.at(-1)?.label ?? null;
  }

  get redoes(): string | null {
    return this.#future.at(-1)?.label ?? null;
  }

  /** Takes note of an edit that led away from `before`. */
  push(before: T, label: string): void {
    this.#past.push({ state: before, label });
    if (this.#past.length > KEPT) this.#past.shift();
    this.#future = [];
  }

  /** The state before the last edit, given the present one; null when there is none. */
  undo(now: T): Step<T> | null {
    const step = this.#past.pop();
    if (!step) return null;
    this.#future.push({ state: now, label: step.label });
    return step;
  }

  redo(now: T): Step<T> | null {
    const step = this.#future.pop();
    if (!step) return null;
    this.#past.push({ state: now, label: step.label });
    return step;
  }
}
