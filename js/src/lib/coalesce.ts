/**
 * Sends changes to Python one message at a time, always the newest value.
 *
 * While a message waits for its answer, further changes gather; they leave together when the answer
 * arrives (or when it is overdue, so that a lost answer never blocks the bench).
 */

export interface Transport<S> {
  /** Number of the newest message that anybody has sent. */
  generation(): number;
  /** Sends the changes with the message's number. */
  send(changes: Partial<S>, generation: number): void;
}

export interface Clock {
  after(milliseconds: number, call: () => void): () => void;
}

export const browserClock: Clock = {
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** A clock that does not count the time in which nobody can answer yet. */
export function waitingFor(isBusy: () => boolean, clock: Clock): Clock {
  return {
    after(milliseconds, call) {
      let stop = () => {};
      const wait = () => {
        stop = clock.after(milliseconds, () => (isBusy() ? wait() : call()));
      };
      wait();
      return () => stop();
    },
  };
}

export class Coalescer<S extends object> {
  #waiting: Partial<S> = {};
  #awaited = 0;
  #painted = 0;
  #overdue = false;
  #cancelTimeout: (() => void) | null = null;

  constructor(
    private readonly transport: Transport<S>,
    private readonly onOverdue: () => void = () => {},
    private readonly timeout = 4000,
    private readonly clock: Clock = browserClock,
  ) {}

  /** Changes that have not left yet. */
  get pending(): Readonly<Partial<S>> {
    return this.#waiting;
  }

  /** Whether an answer is still to come. */
  get inFlight(): boolean {
    return this.#awaited > 0;
  }

  change(changes: Partial<S>): void {
    Object.assign(this.#waiting, changes);
    if (!this.inFlight) this.#flush();
  }

  /** Sends what has gathered now, and not with the next answer: a command is to find it there. */
  sendNow(): void {
    if (Object.keys(this.#waiting).length === 0) return;
    this.#settle();
    this.#flush();
  }

  /**
   * Takes note of an answer; returns whether it should be painted.
   *
   * Stale is an answer to less than what was painted, or to less than the message in flight: its
   * own answer is on the way.
   */
  answered(generation: number): boolean {
    if (generation < this.#painted) return false;
    if (this.inFlight && !this.#overdue && generation < this.#awaited) return false;
    this.#painted = generation;
    if (this.inFlight && generation >= this.#awaited) {
      this.#settle();
      this.#overdue = false;
      if (Object.keys(this.#waiting).length > 0) this.#flush();
    }
    return true;
  }

  dispose(): void {
    this.#settle();
    this.#waiting = {};
  }

  #flush(): void {
    const changes = this.#waiting;
    this.#waiting = {};
    this.#awaited = Math.max(this.transport.generation(), this.#painted) + 1;
    this.#cancelTimeout = this.clock.after(this.timeout, () => this.#expire());
    this.transport.send(changes, this.#awaited);
  }

  #expire(): void {
    this.#settle();
    this.#overdue = true;
    this.onOverdue();
    if (Object.keys(this.#waiting).length > 0) this.#flush();
  }

  #settle(): void {
    this.#awaited = 0;
    this.#cancelTimeout?.();
    this.#cancelTimeout = null;
  }
}
