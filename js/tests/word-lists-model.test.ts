import assert from "node:assert/strict";
import { test } from "node:test";
import { annotate } from "../src/lib/word-lists/annotate";
import * as edits from "../src/lib/word-lists/edits";
import { Model } from "../src/lib/word-lists/model";
import { asColumn, parseTerms } from "../src/lib/word-lists/parse";
import { packRows, rowOf, rowsInView, vertical } from "../src/lib/word-lists/rows";
import type { TermMark, WordList } from "../src/lib/word-lists/types";

const list = (name: string, ...terms: string[]): WordList => ({ name, terms });

function editor(...lists: WordList[]) {
  const sent: WordList[][] = [];
  const props = { lists: lists as readonly WordList[], onChange: (l: WordList[]) => sent.push(l) };
  const model = new Model(props);
  const terms = (i = 0) => model.view.lists[i]!.terms;
  return { model, sent, terms, props };
}

test("a pasted column or table becomes terms; a term of several words stays one", () => {
  assert.deepEqual(parseTerms("nurse\r\nfire fighter\n\n  chef \n"), [
    "nurse",
    "fire fighter",
    "chef",
  ]);
  assert.deepEqual(parseTerms("a\tb\nc,d; e ,,"), ["a", "b", "c", "d", "e"]);
  assert.deepEqual(parseTerms('"Smith, John"\t"say ""hi"""\n5" nail'), [
    "Smith, John",
    'say "hi"',
    '5" nail',
  ]);
  assert.deepEqual(parseTerms("\ufeffnurse\u0000\u2028طبيبة\u2029👩‍🔬"), [
    "nurse",
    "طبيبة",
    "👩‍🔬",
  ]);
  assert.deepEqual(parseTerms(" \n\t,;"), []);
  assert.deepEqual(parseTerms("<b>nurse</b>"), ["<b>nurse</b>"]);
});

test("of a pasted table Python says which column is words, and the editor says so", async () => {
  const asked: unknown[] = [];
  const said = "2 words taken from the column “occupation”.";
  const props = {
    lists: [list("a")],
    onChange: () => {},
    onCommand: async (name: string, args?: Record<string, unknown>) => {
      asked.push([name, args]);
      const content = JSON.stringify({ terms: ["nurse", "baker"] });
      return { id: 1, ok: true, message: said, content };
    },
  };
  const model = new Model(props);
  model.addText(0, "she, woman");
  assert.deepEqual(model.view.lists[0]!.terms, ["she", "woman"]);
  const text = "occupation,women in %\nnurse,88\nbaker,5";
  assert.ok(model.addText(0, text));
  await new Promise((done) => setTimeout(done));
  assert.deepEqual(asked, [["read-words", { text }]]);
  assert.deepEqual(model.view.lists[0]!.terms, ["she", "woman", "nurse", "baker"]);
  assert.equal(model.view.notice?.text, said);
});

test("terms copied as a column are read back the same", () => {
  const terms = ["fire fighter", "Smith, John", 'the "best"', "<i>x</i>", "طبيبة"];
  assert.deepEqual(parseTerms(asColumn(terms)), terms);
});

test("operations leave the lists that they got as they are", () => {
  const lists = [list("a", "1", "2", "3"), list("b", "4")];
  const copy = structuredClone(lists);
  const moved = edits.move(lists, 0, new Set([0, 2]), 1, 1);
  assert.deepEqual(
    moved.lists.map((l) => l.terms),
    [["2"], ["4", "1", "3"]],
  );
  assert.equal(moved.at, 1);
  const within = edits.move(lists, 0, new Set([0]), 0, 3);
  assert.deepEqual(within.lists[0]!.terms, ["2", "3", "1"]);
  assert.equal(within.at, 2);
  edits.remove(lists, 0, new Set([1]));
  edits.insert(lists, 0, 1, ["x"]);
  assert.deepEqual(lists, copy);
  assert.equal(within.lists[1], lists[1], "an untouched list is shared, not copied");
});

test("a renamed group takes its attribute lists along", () => {
  const lists: WordList[] = [
    { name: "women", terms: ["she"], kind: "groups" },
    { name: "caring", terms: ["warm"], kind: "attributes", of: ["women"] },
  ];
  assert.deepEqual(edits.renameList(lists, 0, "female")[1]!.of, ["female"]);
  assert.equal(edits.renameList(lists, 0, "caring")[0]!.name, "caring 2");
});

test("undo and redo go through every edit, and a new edit ends the redo", () => {
  const { model, terms, sent } = editor(list("words", "nurse", "chef"));
  model.addText(0, "clerk");
  model.removeAt(0, 0);
  model.sort(0);
  assert.equal(model.view.said.text, "Sorted already.");
  model.replaceAt(0, 0, "cook");
  assert.deepEqual(terms(), ["cook", "clerk"]);
  for (const expected of [
    ["chef", "clerk"],
    ["nurse", "chef", "clerk"],
    ["nurse", "chef"],
  ]) {
    model.undo();
    assert.deepEqual(terms(), expected);
  }
  assert.equal(model.view.undoes, null);
  model.redo();
  model.redo();
  assert.deepEqual(terms(), ["chef", "clerk"]);
  assert.equal(model.view.redoes, "changed chef");
  model.addText(0, "poet");
  assert.equal(model.view.redoes, null);
  assert.deepEqual(sent.at(-1)![0]!.terms, ["chef", "clerk", "poet"]);
});

test("lists set elsewhere are shown and can be undone; the echo of an own edit is no news", () => {
  const { model, sent, props, terms } = editor(list("words", "nurse"));
  model.addText(0, "chef");
  model.receive({ ...props, lists: sent[0]! });
  model.receive({ ...props, lists: structuredClone(sent[0]!) });
  assert.equal(model.view.undoes, "added chef");
  model.receive({ ...props, lists: [list("words", "poet")] });
  assert.deepEqual(terms(), ["poet"]);
  model.undo();
  assert.deepEqual(terms(), ["nurse", "chef"]);
});

test("an edit while the echo of an older one is on its way is kept", () => {
  const { model, sent, props, terms } = editor(list("words"));
  model.addText(0, "a");
  model.addText(0, "b");
  model.receive({ ...props, lists: sent[1]! });
  assert.deepEqual(terms(), ["a", "b"]);
});

test("by keyboard a term moves one place, over the ends nowhere, and to the other list", () => {
  const { model, terms } = editor(list("a", "1", "2", "3"), list("b", "4"));
  model.nudge(0, 0, 1);
  assert.deepEqual(terms(), ["2", "1", "3"]);
  assert.equal(model.view.active[0], 1);
  assert.equal(model.view.said.text, "Moved 1 to 2 of 3.");
  model.nudge(0, 0, -1);
  assert.deepEqual(terms(), ["2", "1", "3"]);
  model.toOther(0, 1, 1);
  assert.deepEqual(
    [terms(0), terms(1)],
    [
      ["2", "3"],
      ["4", "1"],
    ],
  );
  assert.deepEqual([model.view.current, model.view.active[1]], [1, 1]);
  model.toOther(1, 0, 1);
  assert.equal(model.view.said.text, "There is no list after this one.");
});

test("several selected terms are moved and removed together", () => {
  const { model, terms } = editor(list("a", "1", "2", "3", "4"), list("b"));
  model.activate(0, 1);
  model.activate(0, 2, { extend: true });
  assert.deepEqual([...model.view.selected], [1, 2]);
  model.activate(0, 0, { toggle: true });
  model.toOther(0, 0, 1);
  assert.deepEqual([terms(0), terms(1)], [["4"], ["1", "2", "3"]]);
  assert.equal(model.view.selected.size, 3, "they stay selected where they are now");
  model.removeAt(1, 1);
  assert.deepEqual(terms(1), []);
});

test("more terms than the limit are refused whole, and a part is taken on request", () => {
  const { model, terms, sent } = editor(list("words", "nurse"));
  const many = Array.from({ length: 100_000 }, (_, i) => `w${i}`).join("\n");
  assert.equal(model.addText(0, many), false);
  assert.deepEqual(terms(), ["nurse"]);
  assert.equal(sent.length, 0);
  const { notice } = model.view;
  assert.match(notice!.text, /100,000 terms are too many.*20,000.*Nothing was changed/);
  assert.equal(notice!.actions[0]!.label, "Add the first 19,999");
  notice!.actions[0]!.run();
  assert.equal(terms().length, 20_000);
  assert.match(model.view.notice!.text, /The first 19,999 of 100,000/);
  model.undo();
  assert.deepEqual(terms(), ["nurse"]);
});

test("marks find their terms wherever an edit has moved them", () => {
  const marks: TermMark[] = [
    { list: 0, position: 0, term: "zzz", kind: "unknown", reason: "not in the vocabulary" },
    { list: 0, position: 3, term: "nurse", kind: "duplicate", reason: "twice" },
    { list: 1, position: 0, term: "nurse", kind: "overlap", reason: "also in a" },
  ];
  const lists = [list("a", "new", "zzz", "nurse", "chef", "nurse"), list("b", "nurse", "zzz")];
  const [a, b] = annotate(lists, marks);
  assert.deepEqual([...a!.at.keys()].sort(), [1, 4], "the later of two is the duplicate");
  assert.deepEqual([a!.unknown, a!.duplicates, a!.overlaps], [1, 1, 0]);
  assert.deepEqual([b!.unknown, b!.duplicates, b!.overlaps], [1, 0, 1]);
});

test("chips fall into rows that fit, and arrows find the nearest one below", () => {
  const widths = [50, 60, 40, 80, 30, 500];
  const starts = packRows(widths, 130, 6);
  assert.deepEqual(starts, [0, 2, 4, 5], "a chip wider than the room has a row of its own");
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((i) => rowOf(starts, i)),
    [0, 0, 1, 1, 2, 3],
  );
  assert.equal(vertical(starts, widths, 6, 1, 1), 3);
  assert.equal(vertical(starts, widths, 6, 3, -1), 1);
  assert.equal(vertical(starts, widths, 6, 0, -1), 0);
  assert.deepEqual(packRows([], 130, 6), []);
});

test("only rows in view, and a few to spare, are drawn", () => {
  assert.deepEqual(rowsInView(0, 256, 32, 1000), [0, 11]);
  assert.deepEqual(rowsInView(3200, 256, 32, 1000), [97, 111]);
  assert.deepEqual(rowsInView(32_000, 256, 32, 5), [4, 5], "the list has become shorter");
  assert.deepEqual(rowsInView(0, 32, 32, 0), [0, 0]);
});
