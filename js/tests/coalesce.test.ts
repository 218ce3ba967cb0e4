import assert from "node:assert/strict";
import { test } from "node:test";
import { Coalescer, waitingFor } from "../src/lib/coalesce";
import { ManualClock } from "./clock";

interface S {
  alpha: number;
  word: string;
}

function setup() {
  const sent: [Partial<S>, number][] = [];
  const clock = new ManualClock();
  let overdue = 0;
  const transport = {
    generation: () => sent.at(-1)?.[1] ?? 0,
    send: (changes: Partial<S>, generation: number) => {
      sent.push([changes, generation]);
    },
  };
  const coalescer = new Coalescer<S>(transport, () => overdue++, 1000, clock);
  return { sent, clock, coalescer, overdue: () => overdue };
}

test("one message is in flight, and only the newest value follows it", () => {
  const { sent, coalescer } = setup();
  for (const alpha of [0.1, 0.2, 0.3, 0.4]) coalescer.change({ alpha });
  coalescer.change({ word: "nurse" });
  assert.deepEqual(sent, [[{ alpha: 0.1 }, 1]]);
  assert.equal(coalescer.answered(1), true);
  assert.deepEqual(sent.slice(1), [[{ alpha: 0.4, word: "nurse" }, 2]]);
  coalescer.answered(2);
  assert.equal(sent.length, 2);
  assert.equal(coalescer.inFlight, false);
});

test("stale answers are dropped", () => {
  const { coalescer } = setup();
  coalescer.change({ alpha: 0.1 });
  assert.equal(coalescer.answered(0), false, "an answer to less than what is in flight");
  assert.equal(coalescer.answered(1), true);
  assert.equal(coalescer.answered(0), false, "an answer to less than what was painted");
  assert.equal(coalescer.answered(1), true, "another answer to the same state, as progress gives");
});

test("a lost answer unblocks after the timeout, and a late one still counts", () => {
  const { sent, clock, coalescer, overdue } = setup();
  coalescer.change({ alpha: 0.1 });
  coalescer.change({ alpha: 0.2 });
  clock.advance(999);
  assert.equal(sent.length, 1);
  clock.advance(1);
  assert.equal(overdue(), 1);
  assert.deepEqual(sent[1], [{ alpha: 0.2 }, 2]);
  assert.equal(coalescer.answered(1), true, "Python is slow: show what comes");
  assert.equal(coalescer.inFlight, true);
  assert.equal(coalescer.answered(2), true);
  assert.equal(coalescer.inFlight, false);
});

test("numbers go on from those that another view has sent", () => {
  const sent: number[] = [];
  const transport = {
    generation: () => 41,
    send: (_: Partial<S>, generation: number) => {
      sent.push(generation);
    },
  };
  const coalescer = new Coalescer<S>(transport, undefined, 1000, new ManualClock());
  coalescer.change({ alpha: 0.1 });
  assert.deepEqual(sent, [42]);
});

test("after dispose no timeout fires", () => {
  const { clock, coalescer, overdue } = setup();
  coalescer.change({ alpha: 0.1 });
  coalescer.dispose();
  clock.advance(5000);
  assert.equal(overdue(), 0);
});

test("the time in which Python is at work on something else does not count", () => {
  const clock = new ManualClock();
  let [busy, calls] = [true, 0];
  const stop = waitingFor(() => busy, clock).after(1000, () => calls++);
  clock.advance(1000);
  busy = false;
  assert.equal(calls, 0);
  clock.advance(1000);
  assert.equal(calls, 1);
  stop();
});
