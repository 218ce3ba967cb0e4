import assert from "node:assert/strict";
import { test } from "node:test";
import { type ComparedRow, sortedRows } from "../src/app/compare/comparison";
import type { Run } from "../src/app/lib/runs";
import { byDay, dayName, duration, size } from "../src/app/runs/days";
import {
  addressOf,
  ELSEWHERE,
  entriesOf,
  filterOf,
  match,
  NO_FILTER,
  noMatch,
} from "../src/app/runs/filter";
import { neighbour } from "../src/app/runs/neighbour";

const BENCHES = [
  { name: "psychometric", title: "Psychometric" },
  { name: "occupations", title: "Occupations" },
];

const run = (id: string, more: Partial<Run> = {}): Run => ({
  id,
  label: "",
  tags: [],
  bench: "psychometric",
  probe: "two_afc",
  subject: "wiki",
  time: "2026-11-23T10:00:00+00:00",
  seconds: 1,
  headline: "nurse: PSE 61 % man",
  sharedBy: "",
  bytes: 1000,
  ...more,
});

const RUNS = [
  run("1a", { tags: ["draft"], time: "2026-11-23T12:00:00+00:00" }),
  run("1b", { bench: "occupations", headline: "9 of 30 lean female", label: "Pilot" }),
  run("1c", { bench: "", subject: "GloVe", time: "2026-11-20T12:00:00+00:00" }),
];
const ENTRIES = entriesOf(RUNS, BENCHES);
const NOBODY: ReadonlySet<string> = new Set();
const ids = (filter: object, about = NOBODY) =>
  match(ENTRIES, { ...NO_FILTER, ...filter }, about).shown.map((entry) => entry.run.id);

test("every word of a search occurs somewhere in a run, in any case", () => {
  assert.deepEqual(ids({ search: "LEAN pilot" }), ["1b"]);
  assert.deepEqual(ids({ search: "lean nurse" }), []);
  assert.deepEqual(ids({ search: "1c" }), ["1c"]);
  assert.deepEqual(ids({ search: "occupations" }), ["1b"]);
});

test("a run that the server finds by its words is shown too", () => {
  assert.deepEqual(ids({ search: "plumber" }, new Set(["1c"])), ["1c"]);
});

test("bench, subject and tag filter together", () => {
  assert.deepEqual(ids({ bench: "psychometric", tag: "draft" }), ["1a"]);
  assert.deepEqual(ids({ bench: ELSEWHERE }), ["1c"]);
  assert.deepEqual(ids({ subject: "GloVe", tag: "draft" }), []);
});

test("counts of benches follow all other filters", () => {
  const { counts, total } = match(
    ENTRIES,
    { ...NO_FILTER, bench: "occupations", subject: "wiki" },
    NOBODY,
  );
  assert.deepEqual([...counts].sort(), [
    ["occupations", 1],
    ["psychometric", 1],
  ]);
  assert.equal(total, 2);
});

test("a filter comes back from its address", () => {
  const filter = { search: "50 % & more", bench: "occupations", subject: "", tag: "lesson 1" };
  assert.deepEqual(filterOf(addressOf(filter).slice("runs".length)), filter);
  assert.equal(addressOf(NO_FILTER), "runs");
});

test("an empty answer names what does not match", () => {
  assert.equal(noMatch({ ...NO_FILTER, tag: "x" }), "No run has this tag.");
  assert.match(noMatch({ ...NO_FILTER, search: "zzz" }), /zzz/);
  assert.equal(noMatch({ ...NO_FILTER, search: "z", tag: "x" }), "No run matches all of these.");
});

test("runs stand under their day, newest first", () => {
  const days = byDay(ENTRIES, new Date("2026-11-23T18:00:00"));
  assert.deepEqual(
    days.map((day) => [day.name, day.entries.length]),
    [
      ["Today", 2],
      ["Friday 20 November", 1],
    ],
  );
  const now = new Date(2026, 0, 1, 9);
  assert.equal(dayName(new Date(2025, 11, 31, 23), now), "Yesterday");
  assert.equal(dayName(new Date(2025, 11, 30), now), "Tuesday 30 December 2025");
  assert.equal(dayName(null, now), "Unknown day");
});

test("durations and sizes are short", () => {
  const shown = [0.0141, 1.13, 41.2, 112, 3725, null].map(duration);
  assert.deepEqual(shown, ["14 ms", "1.1 s", "41 s", "1 min 52 s", "1 h 2 min", ""]);
  assert.equal(duration(59.9), "1 min 0 s");
  assert.equal(size(3_100_000), "3.1 MB");
});

test("after a deletion the next run has the focus, or else the one before", () => {
  assert.equal(neighbour(["a", "b", "c", "d"], ["b", "c"]), "d");
  assert.equal(neighbour(["a", "b", "c"], ["b", "c"]), "a");
  assert.equal(neighbour(["a"], ["a"]), undefined);
});

const row = (label: string, a: number, b: number): ComparedRow => ({
  label,
  a,
  b,
  aEnds: null,
  bEnds: null,
  aLean: 0,
  bLean: 0,
  change: b - a,
  changeEnds: null,
  outside: null,
});

test("rows of a comparison are sorted by either run, by the change or by name", () => {
  const rows = [row("clerk", 0.5, 0.2), row("nurse", 0.7, 0.8), row("baker", 0.6, 0.4)];
  const order = (sort: "a" | "b" | "change" | "label") =>
    sortedRows(rows, sort).map((one) => one.label[0]);
  assert.deepEqual(order("a"), ["n", "b", "c"]);
  assert.deepEqual(order("b"), ["n", "b", "c"]);
  assert.deepEqual(order("change"), ["c", "b", "n"]);
  assert.deepEqual(order("label"), ["b", "c", "n"]);
});
