import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/rating.json";
import { spread } from "../src/benches/rating/numbers/chart";
import {
  cornersIn,
  endsOf,
  movedBy,
  placeOf,
  sharesAt,
} from "../src/benches/rating/picture/corners";
import { along, boxesOf, labelAt } from "../src/benches/rating/picture/labels";
import { heldEven, movedEdge } from "../src/benches/rating/picture/shares";
import { layoutOf, treeSaid } from "../src/benches/rating/rules/layout";
import { nameOf } from "../src/benches/rating/store";
import {
  cellText,
  planNote,
  planText,
  runText,
  sharesText,
  stateText,
} from "../src/benches/rating/texts";
import {
  differing,
  isChanged,
  isUnresolved,
  piecesOf,
  reasonsOf,
} from "../src/benches/rating/texts/pieces";
import { drawnOrder, tonesOf } from "../src/benches/rating/tones";
import type { RatingBenchState } from "../src/generated/rating";
import { NO_RATING_RUN, OUTPUTS } from "../src/generated/rating";
import { around } from "../src/lib/boxes";

const stateOf = recorded<RatingBenchState>(scenarios);
const [GENDER, WORSHIP] = stateOf().attribute_options.map(({ values }) => values) as [
  string[],
  string[],
];
/** Done, running, and queued languages. */
const { rows: ROWS, blocks: BLOCKS } = stateOf("running").answer.picture!;
const { answer: SPANISH, detail: DETAIL } = stateOf("Spanish");
const TREES = SPANISH.picture!.finding.trees;

const sum = (shares: readonly number[]) => shares.reduce((a, b) => a + b, 0);
const round = (shares: readonly number[]) => shares.map((s) => Math.round(100 * s) / 100);

test("she is group 1 wherever she stands, and what is none of the values is grey", () => {
  assert.deepEqual(tonesOf(GENDER), ["g2", "g1", "other"]);
  assert.deepEqual(tonesOf(["She", "He", "Other"]), ["g1", "g2", "other"]);
  assert.deepEqual(tonesOf(WORSHIP), ["g1", "g2", "v2", "v3", "other"]);
  const eight = Array.from("abcdefgh").concat("other");
  assert.equal(new Set(tonesOf(eight)).size, 9, "eight values and none share no colour");
  assert.deepEqual(drawnOrder(GENDER), [1, 0, 2]);
  assert.deepEqual(drawnOrder(WORSHIP), [0, 1, 2, 3, 4]);
});

test("a place in the triangle and the shares there are one and the same", () => {
  const corners = cornersIn(310, drawnOrder(GENDER));
  for (const shares of [
    [0.5, 0.5, 0],
    [0.1, 0.9, 0],
    [0, 0, 1],
    [0.2, 0.3, 0.5],
    [1, 0, 0],
  ])
    assert.deepEqual(round(sharesAt(placeOf(shares, corners), corners)), shares);
  // All she lies at the left, as in every other picture group 1 does.
  assert.deepEqual(placeOf([0, 1, 0], corners), corners.left);
  assert.deepEqual(placeOf([1, 0, 0], corners), corners.right);
  assert.deepEqual(placeOf([0, 0, 1], corners), corners.top);
});

test("outside the triangle the nearest edge is meant, and shares always sum to 1", () => {
  const corners = cornersIn(310, [0, 1, 2]);
  for (let x = -50; x <= 360; x += 37)
    for (let y = -50; y <= 360; y += 31) {
      const shares = sharesAt({ x, y }, corners);
      assert.ok(shares.every((share) => share >= 0 && share <= 1));
      assert.ok(Math.abs(sum(shares) - 1) < 1e-9, `${x} ${y}: ${shares}`);
    }
  assert.deepEqual(sharesAt({ x: -100, y: 900 }, corners), [1, 0, 0]);
  assert.deepEqual(sharesAt({ x: 155, y: -20 }, corners), [0, 0, 1]);
  const low = sharesAt({ x: corners.top.x, y: corners.left.y - 2 }, corners);
  assert.equal(low[2], 0, "hardly anything of the third is nothing");
});

test("keys move a point by one or ten per cent, and stay inside", () => {
  const order = drawnOrder(GENDER);
  const key = (name: string, shares: number[], shiftKey = false) =>
    movedBy({ key: name, shiftKey }, shares, order);
  // Right is towards the corner at the right: all he.
  assert.deepEqual(key("ArrowRight", [0.5, 0.5, 0]), [0.51, 0.49, 0]);
  assert.deepEqual(key("ArrowLeft", [0.5, 0.5, 0], true), [0.4, 0.6, 0]);
  assert.deepEqual(key("ArrowUp", [0.5, 0.5, 0], true), [0.45, 0.45, 0.1]);
  assert.deepEqual(key("ArrowDown", [0.45, 0.45, 0.1], true), [0.5, 0.5, 0]);
  assert.deepEqual(key("ArrowRight", [1, 0, 0]), [1, 0, 0]);
  assert.deepEqual(key("ArrowDown", [0, 0, 1], true), [0.05, 0.05, 0.9]);
  assert.deepEqual(key("Home", [0.3, 0.5, 0.2]), [0, 0.8, 0.2]);
  assert.deepEqual(key("End", [0.3, 0.5, 0.2]), [0.8, 0, 0.2]);
  assert.deepEqual(key("n", [0.9, 0.1, 0]), [0.5, 0.5, 0]);
  assert.equal(key("x", [0.5, 0.5, 0]), null);
});

test("an edge of a bar moves what is beside it only", () => {
  const order = [0, 1, 2, 3, 4];
  const shares = [0.25, 0.25, 0.25, 0.25, 0];
  assert.deepEqual(movedEdge(shares, order, 0, 0.1), [0.1, 0.4, 0.25, 0.25, 0]);
  assert.deepEqual(movedEdge(shares, order, 1, 0.99), [0.25, 0.5, 0, 0.25, 0]);
  assert.deepEqual(movedEdge(shares, order, 3, 0.9), [0.25, 0.25, 0.25, 0.15, 0.1]);
  assert.equal(movedEdge(shares, order, 4, 0.5), null);
});

test("languages whose answers are the same share their arrows, and say what they do", () => {
  const inputs = BLOCKS.map((block) => block.shares);
  assert.deepEqual(
    ROWS.map(({ language, state }) => `${language} ${state}`),
    ["eo done", "es done", "ca done", "gl done", "it running", "fr queued"],
  );
  const ends = endsOf(ROWS, inputs, "es");
  const said = ends.map(({ rows: own, note }) => [own.map((row) => row.language), note]);
  assert.deepEqual(said, [
    [["es", "ca", "gl", "it"], "all three blocks end here"],
    [["eo"], "stays put"],
  ]);
  assert.equal(endsOf(ROWS, inputs, "eo")[0]!.rows[0]!.language, "eo", "the chosen one is first");
});

test("a label covers no point and no line, or is not drawn", () => {
  const lines = [
    { text: "Esperanto:", bold: true },
    { text: "stays put", bold: false },
  ];
  const corners = cornersIn(310, [1, 0, 2]);
  const at = { x: 150, y: 100 };
  const free = labelAt([at], [lines], corners, []);
  assert.equal(free?.anchor, "start");
  assert.equal(free?.leader, null);
  const line = along({ x: 165, y: 0 }, { x: 165, y: 280 });
  assert.equal(labelAt([at], [lines], corners, line)?.anchor, "end");
  const other = labelAt([at, { x: 150, y: 215 }], [lines], corners, [around(at, 90)]);
  assert.equal(other?.leader, null, "another of its places has room beside it");
  const around1 = [around(at, 60)];
  const led = labelAt([at], [lines], corners, around1);
  assert.deepEqual(led?.leader?.[1], at, "where there is none beside it, a line leads to it");
  assert.ok(
    led &&
      (led.box.bottom <= 40 || led.box.top >= 160 || led.box.right <= 90 || led.box.left >= 210),
  );
  assert.equal(labelAt([at], [lines], corners, [around({ x: 155, y: 140 }, 400)]), null);
  const long = [{ text: "Esperanto, through which all of these blocks come back", bold: true }];
  assert.equal(labelAt([at], [long, lines], corners, [])?.lines, lines, "the shorter way fits");
});

test("what ends on the base of the triangle is named below its corners", () => {
  const corners = cornersIn(310, [1, 0, 2]);
  const inputs = [[0.5, 0.5, 0]];
  const end = placeOf([0.5, 0.5, 0], corners);
  const taken = [...boxesOf(corners, inputs), around(end, 70)].map((box) => ({
    ...box,
    bottom: Math.min(box.bottom, corners.left.y + 32),
  }));
  const label = labelAt([end], [[{ text: "Esperanto", bold: true }]], corners, taken);
  assert.equal(label?.leader, null);
  assert.ok(label && label.box.top >= corners.left.y + 32 && label.box.bottom <= corners.height);
});

test("a tree's questions stand above its ratings, and its way is told", () => {
  for (const tree of TREES)
    for (const width of [370, 440, 600]) {
      const { nodes, edges, height } = layoutOf(tree, width);
      const questions = nodes.filter(({ node }) => !node.is_rating);
      const ratings = nodes.filter(({ node }) => node.is_rating);
      assert.equal(edges.length, tree.edges.length);
      const bottom = Math.max(...questions.map((q) => q.y + q.height / 2));
      assert.ok(ratings.every((r) => r.y - r.height / 2 > bottom));
      for (const row of [questions, ratings])
        row.forEach((one, i) => {
          assert.ok(one.x - one.width / 2 >= 0 && one.x + one.width / 2 <= width);
          const next = row[i + 1];
          if (next) assert.ok(one.x + one.width / 2 < next.x - next.width / 2);
        });
      assert.ok(nodes.every((one) => one.y + one.height / 2 <= height));
    }
  const [unbiased, biased] = TREES[0]!.nodes.map((node) => node.note);
  assert.match(unbiased!, /\d+\/\d+\/\d+/);
  assert.equal(
    treeSaid(TREES[0]!),
    `Unbiased input: output like a biased one? no (${unbiased}). ` +
      `Biased input: output like an unbiased one? no (${biased}). Rating: DSBS.`,
  );
});

test("a text is taken apart by characters as Python counts them", () => {
  const marks = [
    { value: 1, spans: [[2, 5]] as [number, number][], reason: "" },
    { value: -1, spans: [[9, 11]] as [number, number][], reason: "no word says who" },
  ];
  const pieces = piecesOf("🙂 She is it.", marks, [false, true]);
  assert.deepEqual(
    pieces.map(({ text, mark }) => [text, mark?.value ?? null, mark?.changed ?? false]),
    [
      ["🙂 ", null, false],
      ["She", 1, false],
      [" is ", null, false],
      ["it", -1, true],
      [".", null, false],
    ],
  );
  assert.deepEqual(piecesOf("", []), []);
});

test("words that the source does not have are marked, articles are not", () => {
  const words = (source: string, back: string) =>
    differing(source, back).map(([from, to]) => Array.from(back).slice(from, to).join(""));
  assert.deepEqual(words("He is a teacher.", "It is a professor."), ["professor"]);
  assert.deepEqual(words("She is an engineer.", "She is a engineer."), []);
  assert.deepEqual(words("She nurses. He plumbs.", "🙂 She nurses well. He plumbs."), ["well"]);
  assert.deepEqual(words("One two three.", "Three two one."), ["two", "one"]);
  assert.deepEqual(words("", "Something"), ["Something"]);
  assert.deepEqual(words("Something", ""), []);
});

test("changed and unread texts are found, each reason once", () => {
  const rows = DETAIL.texts;
  assert.ok(rows.every(isChanged));
  const lost = rows.map(({ back }) => back.match(/\bIt\b/g)!.length < 2);
  assert.ok(lost.includes(true) && !lost[0]);
  assert.deepEqual(rows.map(isUnresolved), lost);
  assert.deepEqual(reasonsOf(rows[lost.indexOf(true)]!), [DETAIL.reasons[0]![0]]);
  assert.deepEqual(reasonsOf(rows[0]!), []);
  const failed = { ...rows[0]!, back: "", back_marks: [], failure: "It answered 500." };
  assert.deepEqual(reasonsOf(failed), ["It answered 500."]);
  assert.ok(isUnresolved(failed));
});

test("blocks are called by their shares, the last value only where it has one", () => {
  assert.equal(nameOf([0.5, 0.5, 0]), "50/50");
  assert.equal(nameOf([0.4, 0.4, 0.2]), "40/40/20");
});

test("counts, shares and plans are said in words", () => {
  const cell = { counts: [20, 19, 0], mentions: 40, unresolved: 1, done: 20, total: 20 };
  assert.equal(
    cellText({ ...cell, predicted: false }, GENDER),
    "20 he, 19 she, 0 other of 40 mentions; 1 could not be read",
  );
  assert.match(cellText({ ...cell, counts: [12.25, 26, 0], predicted: true }, GENDER), /^12\.2 he/);
  const lost = { ...cell, counts: [0, 0, 0], unresolved: 0, predicted: true };
  assert.match(cellText(lost, GENDER), /^not known: no text of the run had such a value/);
  assert.equal(sharesText([0.1, 0.9, 0], GENDER), "10 % he, 90 % she");
  const plan = {
    ...OUTPUTS.plan,
    languages: 6,
    blocks: 3,
    texts: 60,
    calls: 720,
    known: 120,
    seconds: 30,
  };
  assert.equal(planText(plan), "6 languages, 3 blocks, 360 texts");
  assert.equal(planText({ ...plan, languages: 0, blocks: 1, texts: 1 }), "1 block, 1 text");
  assert.equal(
    planNote({ ...plan, cost: "0.02 EUR" }),
    "600 of them to make, about 30 s, 0.02 EUR: the others are answered already.",
  );
  assert.equal(
    planNote({ ...plan, known: 720 }),
    "None of them to make: all are answered already.",
  );
  assert.equal(planNote({ ...plan, known: 0 }), "about 30 s");
  const run = { ...NO_RATING_RUN, number: 1, done: 540, total: 720, calls: 540, seconds: 5.04 };
  assert.equal(runText(run), "Last run: 540 calls in 5.0 s, 180 texts left.");
  assert.equal(
    runText({ ...run, running: true, seconds_left: 3 }),
    "540 of 720 texts, about 3 s left",
  );
  const again = { ...run, done: 720, calls: 0, from_store: 240 };
  assert.equal(runText(again), "Last run: no call, all 240 answers from the store.");
  assert.equal(
    runText({ ...again, calls: 1, failed: 1 }),
    "Last run: 1 call in 5.0 s, 240 answers from the store, 1 text failed.",
  );
  const italian = ROWS[4]!;
  const done = sum(italian.cells.map((one) => one.done));
  const total = sum(italian.cells.map((one) => one.total));
  assert.ok(done > total / 3 && done < (2 * total) / 3);
  assert.equal(stateText(italian), `${done} of ${total} texts`);
});

test("labels at the ends of lines stand apart and in their order", () => {
  const at = spread([50, 52, 51, 120], 13, 10, 130);
  const sorted = [...at].sort((a, b) => a - b);
  sorted.slice(1).forEach((y, i) => {
    assert.ok(y - sorted[i]! >= 13 - 1e-9);
  });
  assert.ok(at[0]! < at[2]! && at[2]! < at[1]!);
  assert.ok(Math.max(...spread([128, 129, 130], 13, 10, 130)) <= 130);
});

test("an unbiased block is dragged no farther from even than the rule's margin", () => {
  const block = (shares: number[], kind: "unbiased" | "biased" = "unbiased") => ({
    name: "",
    kind,
    shares,
  });
  assert.deepEqual(heldEven(block([0.5, 0.5, 0]), [0.68, 0.32, 0], 0.15), [0.65, 0.35, 0]);
  assert.deepEqual(heldEven(block([0.5, 0.5, 0]), [0.6, 0.2, 0.2], 0.1), [0.5, 0.3, 0.2]);
  assert.deepEqual(
    heldEven(block([0.34, 0.33, 0.33, 0]), [0.6, 0.2, 0.2, 0], 0.1),
    [0.43, 0.29, 0.28, 0],
  );
  assert.deepEqual(heldEven(block([0.5, 0.5, 0], "biased"), [0.9, 0.1, 0], 0.1), [0.9, 0.1, 0]);
  // A design that means an uneven block by unbiased is not moved by a touch.
  assert.deepEqual(heldEven(block([0.72, 0.28, 0]), [0.74, 0.26, 0], 0.1), [0.74, 0.26, 0]);
});
