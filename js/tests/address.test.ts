/** Settings in the address of a page; Python is held to the same cases. */
import assert from "node:assert/strict";
import { test } from "node:test";
import cases from "../../tests/contract/addresses.json";
import { LONGEST, notInLink, queryOf, startRunNote } from "../src/app/shell/address";

const FIRST = {
  word: "",
  words: ["first"],
  alpha: 0.5,
  levels: 21,
  curve: "normal",
  residuals: false,
  pairs: [["female", "male"]],
  selected_pairs: [0],
};

for (const { query, inputs } of cases)
  test(`settings as an address: ${query || "none"}`, () => {
    assert.equal(queryOf(inputs, FIRST), query);
  });

test("what is as it was at first, or no setting, is left out", () => {
  const inputs = { ...FIRST, generation: 7, command: { id: 1 }, of_another: 1 };
  assert.equal(queryOf(inputs, { ...FIRST, generation: 0, command: {} }), "");
});

test("a setting that is too long for an address is left out, others stay", () => {
  const words = Array.from({ length: LONGEST / 10 }, (_, i) => `a-long-word-${i}`);
  assert.equal(queryOf({ words, word: "nurse" }, FIRST), "word=nurse");
  const said = "The words do not fit into a link: save the run";
  assert.equal(notInLink({ words, word: "nurse" }, FIRST), said);
  assert.equal(notInLink({ ...FIRST, word: "nurse" }, FIRST), "");
});

test("a table of one's own does not go into a link", () => {
  const first = { outside: "occupations/percent-female-bls", word: "" };
  const now = { outside: "own/jobs.csv", word: "nurse" };
  assert.equal(queryOf(now, first), "word=nurse");
  assert.match(notInLink(now, first), /Your table/);
  assert.equal(notInLink(first, first, "Your sentences do not"), "Your sentences do not");
});

test("the note on the run with which a bench opened goes when another run is there", () => {
  let notes = 1;
  const note = { remove: () => notes-- };
  const page = Object.assign(new EventTarget(), { querySelector: () => note });
  Object.assign(globalThis, { document: page });
  startRunNote();
  const show = (number: number) =>
    page.dispatchEvent(new CustomEvent("biaslab:run", { detail: number }));
  [0, 1, 0, 1].forEach(show);
  assert.equal(notes, 1);
  show(2);
  assert.equal(notes, 0);
  Reflect.deleteProperty(globalThis, "document");
});
