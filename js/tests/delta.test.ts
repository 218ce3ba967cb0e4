import assert from "node:assert/strict";
import { test } from "node:test";
import cases from "../../tests/contract/deltas.json";
import { type Delta, patched } from "../src/lib/delta";
import { generator } from "./random";

interface Case {
  before: unknown;
  delta: Delta;
  after: unknown;
}

test("the front end puts together what Python takes apart", () => {
  for (const { before, delta, after } of cases as never as Case[])
    assert.equal(JSON.stringify(patched(before, delta)), JSON.stringify(after));
});

/** As `delta_of` in delta.py, for records and lists of records. */
function deltaOf(before: unknown, after: unknown): Delta | null {
  if (JSON.stringify(before) === JSON.stringify(after)) return null;
  const both = [before, after];
  const records = both.every((v) => typeof v === "object" && v !== null && !Array.isArray(v));
  const lists = Array.isArray(before) && Array.isArray(after) && before.length === after.length;
  if (!records && !(lists && after.length > 3)) return [after];
  const [old, now] = both as [Record<string, unknown>, Record<string, unknown>];
  const changes: Record<string, Delta> = {};
  for (const name of Object.keys(now)) {
    const change = name in old ? deltaOf(old[name], now[name]) : ([now[name]] as const);
    if (change) changes[name] = change;
  }
  for (const name of Object.keys(old)) if (!(name in now)) changes[name] = [];
  return changes;
}

test("a delta makes one value into the other, and leaves the one before as it was", () => {
  const next = generator(5);
  const value = (depth: number): unknown => {
    const kind = Math.floor(next() * (depth > 0 ? 6 : 4));
    if (kind === 0) return null;
    if (kind === 1) return next() < 0.5;
    if (kind === 2) return Math.floor(next() * 5) - 2;
    if (kind === 3) return "abé"[Math.floor(next() * 3)];
    const count = Math.floor(next() * 6);
    const members = Array.from({ length: count }, () => value(depth - 1));
    if (kind === 4) return members;
    return Object.fromEntries(members.map((member, i) => ["abcdef"[i]!, member]));
  };
  for (let round = 0; round < 2000; round++) {
    const [before, after] = [value(3), value(3)];
    const text = JSON.stringify(before);
    const delta = deltaOf(before, after);
    const sorted = (v: unknown): unknown =>
      Array.isArray(v)
        ? v.map(sorted)
        : v && typeof v === "object"
          ? Object.fromEntries(
              Object.entries(v)
                .sort()
                .map(([n, m]) => [n, sorted(m)]),
            )
          : v;
    assert.deepEqual(sorted(delta ? patched(before, delta) : before), sorted(after));
    assert.equal(JSON.stringify(before), text);
  }
});

test("what has not changed is the same object as before", () => {
  const before = { rows: [{ x: 1 }, { x: 2 }], fit: { share: [1, 2] } };
  const after = patched(before, { rows: { "1": { x: [3] } } }) as typeof before;
  assert.equal(after.fit, before.fit);
  assert.equal(after.rows[0], before.rows[0]);
  assert.deepEqual(after.rows[1], { x: 3 });
});
