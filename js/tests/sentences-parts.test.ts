import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyAttributes, itemsOf, placeKey } from "../src/benches/sentences/pairs/listing";
import { piecesOf } from "../src/benches/sentences/pieces";
import { geometry, rowsIn } from "../src/benches/sentences/test/layout";
import { columnsOf, linesOf } from "../src/benches/sentences/test/lines";
import { foundBy, type ResultRow, scoredOf, squaresOf } from "../src/benches/sentences/test/rows";
import { placeText, rangeText } from "../src/benches/sentences/texts";
import type { PairRow, Sentences, Share, Word } from "../src/generated/sentences";
import { OUTPUTS } from "../src/generated/sentences";
import { attributesOf, edited, groupsOf } from "../src/lib/bench/lists";
import { womenSecond } from "../src/lib/groupOrder";

const LISTS = [
  { name: "male", terms: ["man"], kind: "groups" as const },
  { name: "female", terms: ["woman"], kind: "groups" as const },
  { name: "math", terms: ["algebra"], kind: "attributes" as const, of: ["male"] },
];

function pair(id: string, attribute: string, more: Partial<PairRow> = {}): PairRow {
  return {
    id,
    attribute,
    list: "math",
    groups: [0, 1],
    stereotyped: `The man likes ${attribute}.`,
    against: `The woman likes ${attribute}.`,
    terms: [
      [4, 7],
      [4, 9],
    ],
    changes: [
      [
        [4, 7],
        [4, 9],
      ],
    ],
    source: "template",
    remark: "",
    edited: false,
    ...more,
  };
}

const SENTENCES: Sentences = {
  ...OUTPUTS.sentences,
  pairs: [
    pair("1", "algebra"),
    pair("2", "calculus", { remark: "more changed" }),
    pair("3", "algebra", { edited: true }),
  ],
  attributes: [
    { name: "algebra", list: "math", pairs: 2 },
    { name: "calculus", list: "math", pairs: 1 },
    { name: "poetry", list: "arts", pairs: 0 },
  ],
};

test("a renamed group keeps its attribute lists; lists of other kinds are told", () => {
  const next = [{ ...LISTS[0]!, name: "men" }, LISTS[1]!, LISTS[2]!];
  const now = edited(LISTS, next);
  assert.deepEqual(attributesOf(now.lists)[0]!.of, ["men"]);
  const more = edited(LISTS, [...LISTS, { name: "neutral", terms: ["x"], kind: "controls" }]);
  assert.deepEqual(more.left, ["neutral"]);
  assert.equal(more.lists.length, 3);
  const cues = edited(
    [],
    [
      { name: "a", terms: ["he"], kind: "cue_1" },
      { name: "b", terms: ["she"], kind: "cue_2" },
    ],
  );
  assert.deepEqual(
    groupsOf(cues.lists).map((list) => list.name),
    ["a", "b"],
  );
});

test("pairs stand under their attributes, filtered and found by every word", () => {
  const all = itemsOf(SENTENCES, "all", "");
  assert.deepEqual(
    all.map((item) => (item.kind === "head" ? `${item.name} ${item.count}` : item.pair.id)),
    ["algebra 2", "1", "3", "calculus 1", "2"],
  );
  const ids = (which: "all" | "remark" | "edited", search = "") =>
    itemsOf(SENTENCES, which, search).flatMap((i) => (i.kind === "pair" ? [i.pair.id] : []));
  assert.deepEqual(ids("remark"), ["2"]);
  assert.deepEqual(ids("edited"), ["3"]);
  assert.deepEqual(ids("all", "woman algebra"), ["1", "3"]);
  assert.deepEqual(ids("all", "nobody"), []);
  assert.deepEqual(emptyAttributes(SENTENCES), ["poetry"]);
});

test("keys lead through the pairs of the table and between the versions", () => {
  const items = itemsOf(SENTENCES, "all", "");
  const first = placeKey("Home", null, items)!;
  assert.deepEqual(first, { pair: "1", side: "stereotyped" });
  assert.equal(placeKey("ArrowDown", first, items)!.pair, "3");
  assert.equal(placeKey("End", first, items)!.pair, "2");
  assert.equal(placeKey("ArrowRight", first, items)!.side, "against");
  assert.equal(placeKey("x", first, items), null);
});

test("a version's pieces are the whole text, and emoji are one character as in Python", () => {
  const text = "😀 The man's algebra";
  const one = pair("1", "algebra", {
    stereotyped: text,
    terms: [[6, 9], null],
    changes: [
      [
        [6, 11],
        [0, 0],
      ],
    ],
  });
  const pieces = piecesOf(one, 0);
  assert.equal(pieces.map((p) => p.text).join(""), text);
  assert.deepEqual(
    pieces.filter((p) => p.role === "term").map((p) => p.text),
    ["man's"],
  );
});

const SCORES = {
  version: 1,
  sentences: 1,
  models: [{ model: "lm", log_odds: [0.2, -1, null, 2, 0, null], outcomes: "safst-" }],
};
const ORDER = ["p0", "p1", "p2", "p3", "p4", "p5"];
const RESULT: ResultRow = {
  key: "k",
  name: "algebra",
  list: "math",
  group: 0,
  shares: [],
  ids: ORDER,
};

test("squares are sorted from with to against, what failed or is not scored last", () => {
  const scored = scoredOf({ scores: SCORES, order: ORDER });
  const none = { outcome: "all", found: null } as const;
  const made = squaresOf([RESULT], [7], "lm", scored, "odds", none, [0.6, 1.6]);
  assert.deepEqual(made.ids[0], ["p3", "p0", "p4", "p1", "p2", "p5"]);
  assert.equal(made.rows[0]!.tones, "CAtbf-");
  assert.equal(made.rows[0]!.faded, "");
  assert.deepEqual(made.places.get("p1"), { row: 0, at: 3 });
  const placed = squaresOf([RESULT], [7], "lm", scored, "place", none, [0.6, 1.6]);
  assert.deepEqual(placed.ids[0], ORDER);
  const found = { outcome: "s", found: new Set(["p3", "p1"]) } as const;
  const fewer = squaresOf([RESULT], [7], "lm", scored, "odds", found, [0.6, 1.6]);
  assert.equal(fewer.rows[0]!.faded, "011111");
  const other = squaresOf([RESULT], [7], "another", scored, "odds", none, [0.6, 1.6]);
  assert.equal(other.rows[0]!.tones, "------");
});

test("a search finds pairs by all of its words", () => {
  assert.equal(foundBy(SENTENCES.pairs, "  "), null);
  assert.deepEqual([...foundBy(SENTENCES.pairs, "MAN calculus")!], ["2"]);
});

const share = (value: number): Share => ({
  share: value,
  low: value - 0.1,
  high: value + 0.1,
  lean: 0,
  wins: 6,
  losses: 6,
  ties: 0,
  failures: 0,
  mean_log_odds: 0,
});

test("models stand beside each other while there is room, and nothing sticks out", () => {
  const rows = [{ ...RESULT, ids: Array.from({ length: 12 }, (_, i) => `${i}`) }];
  const sections = [{ name: "math", group: 0, rows }];
  for (const width of [340, 500, 760, 918, 1400])
    for (const models of [1, 2, 3, 5]) {
      const g = geometry(width, models, sections);
      g.grids.forEach((left, i) => {
        assert.ok(left + g.gridWidth <= width, `${width} ${models}`);
        assert.ok(g.bars[i]! + g.barWidth < left);
        assert.ok((g.raster.columns - 1) * g.raster.pitch + g.raster.side <= g.gridWidth + 1);
      });
      assert.ok(rowsIn(sections, g).height > 20);
    }
  assert.equal(geometry(918, 2, sections).perLine, 2);
  assert.equal(geometry(340, 2, sections).perLine, 1);
  assert.equal(geometry(918, 2, sections).raster.pitch, 16);
});

const word = (first: string, difference: number | null): Word => ({
  first,
  second: first,
  role: "same",
  values: [[difference, 0, difference]],
});

test("words are broken into lines, and only large differences have a number", () => {
  const words = [word("The", 0.01), word("man", 0.8), word("likes", -0.3), word("it", null)];
  const columns = columnsOf(words, 0);
  assert.deepEqual(
    columns.map((c) => c.text),
    ["", "+0.80", "\u22120.30", ""],
  );
  assert.equal(columns[3]!.difference, null);
  assert.deepEqual(linesOf(columns, 1e4).flat(), columns);
  const lines = linesOf(columns, columns[0]!.width + columns[1]!.width);
  assert.ok(lines.length >= 2);
  assert.deepEqual(lines.flat(), columns);
  assert.equal(linesOf(columns, 1).length, 4, "a word wider than the line has one of its own");
});

test("places and ranges as people read them", () => {
  assert.equal(placeText(SENTENCES.pairs, SENTENCES.pairs[2]!), "algebra, pair 2 of 2");
  assert.equal(rangeText(share(0.68)), "58–78 %");
  assert.equal(rangeText({ ...share(0.5), low: null }), "no interval");
});

test("women have the same colour, whichever group a spec names first", () => {
  const named = (...names: string[]) => names.map((name) => ({ name }));
  assert.equal(womenSecond(named("male terms", "female terms")), true);
  assert.equal(womenSecond(named("female nurses", "male doctors")), false);
  assert.equal(womenSecond(named("flowers", "insects")), false);
  assert.equal(womenSecond(named("male names")), false);
});
