import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../src/app/subjects/records";
import { found, grouped, neighbour, size, state, summary } from "../src/app/subjects/shown";

const row = (name: string, more: Partial<Row> = {}): Row => ({
  name,
  group: "Word embeddings",
  kind: "word embedding",
  about: "8,000 words",
  origin: "your file",
  own: true,
  shared_by: "",
  bytes: 9_600_000,
  state: "closed",
  used: false,
  memory: 0,
  done: 0,
  total: 0,
  problem: "",
  opens: true,
  ...more,
});
const ROWS = [
  row("wiki", { own: false, origin: "bundled", state: "open", used: true, memory: 16_800_000 }),
  row("mine"),
  row("lab-chat", { group: "Services", kind: "chat model", state: "open" }),
];

test("sizes stand in a unit that fits", () => {
  assert.deepEqual([0, 812, 9_600_000, 438e6, 3.6e9].map(size), [
    "",
    "812 bytes",
    "9.6 MB",
    "438 MB",
    "3.6 GB",
  ]);
});

test("a state is a word, and a share while it loads", () => {
  assert.deepEqual(ROWS.map(state), ["in use", "not loaded", "ready"]);
  assert.equal(state(row("mine", { state: "loading", done: 30, total: 120 })), "25 % loaded");
  assert.equal(state(row("mine", { state: "loading" })), "loading");
  assert.equal(state(row("mine", { state: "failed" })), "cannot be opened");
});

test("each word of a search is somewhere in the row", () => {
  const names = (search: string) => found(ROWS, search).map(({ name }) => name);
  assert.deepEqual(names("own"), ["mine", "lab-chat"]);
  assert.deepEqual(names("OWN embedd"), ["mine"]);
  assert.deepEqual(names("bundled"), ["wiki"]);
  assert.deepEqual(names("nothing"), []);
  assert.equal(names("").length, 3);
});

test("arrows stop at both ends, and begin at the first row", () => {
  assert.equal(neighbour(ROWS, "wiki", 1), "mine");
  assert.equal(neighbour(ROWS, "wiki", -1), "wiki");
  assert.equal(neighbour(ROWS, "lab-chat", 1), "lab-chat");
  assert.equal(neighbour(ROWS, "gone", 1), "wiki");
  assert.equal(neighbour([], "wiki", 1), "");
});

test("rows stand under their kind, and the line above adds up what is open", () => {
  assert.deepEqual(
    grouped(ROWS).map(([title, rows]) => [title, rows.length]),
    [
      ["Word embeddings", 2],
      ["Services", 1],
    ],
  );
  assert.equal(
    summary(ROWS),
    "3 models and services that the benches can ask · 1 loaded, 17 MB in memory",
  );
});
