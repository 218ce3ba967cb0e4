import type { Clock } from "../src/lib/coalesce";

/** A clock that moves only when it is told to. */
export class ManualClock implements Clock {
  private now = 0;
  private timers: { at: number; call: () => void }[] = [];

  after(milliseconds: number, call: () => void): () => void {
    const timer = { at: this.now + milliseconds, call };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((t) => t !== timer);
    };
  }

  advance(milliseconds: number): void {
    this.now += milliseconds;
    const due = this.timers.filter((t) => t.at <= this.now);
    this.timers = this.timers.filter((t) => t.at > this.now);
    for (const timer of due) timer.call();
  }
}
