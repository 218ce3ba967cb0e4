import "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/association.json";
import { contrastDomain, modelsShown } from "../src/benches/association/Contrasts";
import { beside } from "../src/benches/association/Histogram";
import { moved, ordered, sameTerm, spotAt } from "../src/benches/association/hand";
import {
  columnsOf,
  holding,
  laneY,
  placeAt,
  rowsOf,
  scaleOf,
  WORD,
} from "../src/benches/association/layout";
import { isPapers } from "../src/benches/association/Priors";
import {
  countText,
  edited,
  fromSpec,
  listsOf,
  marksOf,
  partOf,
} from "../src/benches/association/parts";
import { beyondCeiling, paperRow, simulationLines } from "../src/benches/association/simulation";
import { estimatesOf, normalAnswer, PAPER_PRIORS } from "../src/benches/association/store";
import { beyondText, pText, range, splitsText, stepsOf } from "../src/benches/association/texts";
import { chosen } from "../src/benches/association/WeatOptions";
import { observedLine, reachedBy, weatDomain } from "../src/benches/association/weat";
import type { AssociationBenchState, Weat } from "../src/generated/association";
import { DEFAULTS } from "../src/generated/association";
import type { WordList } from "../src/generated/shared";
import { linear } from "../src/lib/scale";
import { wrongNumber } from "../src/lib/ui/NumberField";

const stateOf = recorded<AssociationBenchState>(scenarios);
const { lists } = stateOf();
const picture = stateOf().answer.picture!;
const side = picture.before;
const rows = rowsOf(picture.protected);
const x = scaleOf([0.2, 1.5], columnsOf(460, rows));
const field = {
  view: "points" as const,
  index: 0 as const,
  side,
  posterior: null,
  rows,
  x,
  pointed: true,
};

test("rows stand under their group's name, and every lane of theirs inside them", () => {
  assert.deepEqual(
    rows.groups.map((group) => group.name),
    ["Judaism", "Christianity", "Islam"],
  );
  assert.equal(rows.words.length, 15);
  let last = -1;
  for (const row of rows.words) {
    const { top } = row;
    assert.ok(top > last);
    last = top;
    for (let lane = 0; lane < 4; lane++) {
      const at = laneY(row, lane, 4);
      assert.ok(at > top && at < top + WORD);
      assert.deepEqual(placeAt(rows, at, 4), { word: row.index, lane });
    }
  }
  assert.equal(placeAt(rows, rows.groups[0]!.top + 3, 4), null, "a group's name is no word");
});

test("the axis holds 1", () => {
  assert.deepEqual(holding([0.2, 1.5], 1), [0.2, 1.5]);
  assert.ok(holding([0.3, 0.9], 1)[1] > 1);
  assert.deepEqual(holding([1, 1], 1), [0, 2], "constant distances have an axis too");
});

test("the nearest point of a lane is meant, and none that is far", () => {
  const row = rows.words[3]!;
  const values = side.distances[3]![1]!;
  values.forEach((value, i) => {
    const spot = spotAt(field, x(value), laneY(row, 1, 4));
    assert.equal(spot?.word, 3);
    assert.equal(spot?.connection, 1);
    assert.equal(
      values[spot!.point!],
      values.find((v) => Math.abs(x(v) - x(value)) < 1e-9),
    );
    assert.ok(Math.abs(values[spot!.point!]! - values[i]!) < 1e-9);
  });
  assert.equal(spotAt(field, -100, laneY(row, 1, 4))?.point, null);
});

test("arrows go through every lane and every point, and stay inside", () => {
  let spot = moved(field, "Home", null);
  assert.deepEqual([spot!.word, spot!.connection], [0, 0]);
  const seen = new Set<string>();
  for (let i = 0; i < 60; i++) {
    seen.add(`${spot!.word} ${spot!.connection}`);
    spot = moved(field, "ArrowDown", spot);
  }
  assert.equal(seen.size, 60);
  assert.deepEqual([spot!.word, spot!.connection], [14, 3]);
  const order = ordered(side, 14, 3);
  assert.equal(order.length, listsOf(lists, "neutral")[0]!.terms.length);
  for (const point of order) {
    assert.equal(spot!.point, point);
    spot = moved(field, "ArrowRight", spot);
  }
  assert.equal(spot!.point, order.at(-1), "the last point is the end");
  assert.equal(moved(field, "x", spot), null);
  const empty = { ...field, rows: rowsOf([]) };
  assert.equal(moved(empty, "ArrowDown", null), null);
});

test("an attribute word is found at every protected word", () => {
  const spot = { view: "points" as const, side: 0 as const, word: 0, connection: 2, point: 4 };
  const found = sameTerm(side, spot);
  assert.equal(found.length, 15);
  assert.equal(found[0]!.value, side.distances[0]![2]![4]);
  assert.deepEqual(sameTerm(side, { ...spot, point: null }), []);
});

test("steps count what is left: all distances, means, means of means, one number", () => {
  const counts = stepsOf(picture).map((step) => step.count);
  const total = side.distances.flat(2).length;
  assert.equal(total, 15 * picture.terms.length);
  assert.deepEqual(
    counts,
    [`${total}`, "60", "4", "1"].map((n, i) => counts[i]!.replace(/^\S+/, n)),
  );
  assert.match(counts[3]!, /ceiling 1\.90/);
  assert.match(stepsOf(picture)[3]!.lost, /5 \+ 5 words set the ceiling/);
  assert.equal(stepsOf(null)[0]!.count, "–");
});

test("points beyond the axis are counted", () => {
  const values = side.distances.flat(2);
  const cut = 1.1;
  const n = values.filter((v) => v > cut).length;
  assert.equal(beyondText(side, [-1, cut]), `${n} beyond the axis`);
  assert.equal(beyondText(side, [-10, 10]), "");
});

const weat = side.weat!;

test("p is an exact fraction, and told as what it is", () => {
  assert.equal(weat.partitions, 252);
  const told = { ...weat, exceed: 4, partitions: 252, p: 4 / 252 };
  assert.equal(splitsText(told), "4 of 252 splits reach it, p = 0.016");
  assert.equal(
    splitsText({ ...told, exceed: 1, p: 1 / 252 }),
    "1 of 252 splits reaches it, p = 0.004",
  );
  const drawn = { ...told, exact: false, exceed: 12, partitions: 10_000, p: 13 / 10_001 };
  assert.equal(splitsText(drawn), "12 of 10,000 random splits reach it, p = 0.0013");
  assert.equal(pText(0.5), "0.50");
  assert.deepEqual(observedLine({ ...told, statistic: 0.146 }).texts, [
    "observed 0.146",
    "4 of 252 splits reach it,",
    "p = 0.016",
  ]);
});

test("bins that reach the observed value follow the alternative", () => {
  const at = (statistic: number): Weat => ({ ...weat, statistic });
  const greater = reachedBy(at(0.1), "greater");
  assert.ok(greater(0.08, 0.12) && greater(0.12, 0.14) && !greater(0.02, 0.04));
  const less = reachedBy(at(-0.1), "less");
  assert.ok(less(-0.2, -0.15) && !less(-0.05, 0));
  const both = reachedBy(at(-0.1), "two-sided");
  assert.ok(both(-0.2, -0.15) && both(0.12, 0.14) && !both(-0.05, 0.05));
  const [low, high] = weatDomain(picture);
  assert.ok(low < -Math.abs(weat.statistic) && high > Math.abs(weat.statistic));
});

test("of two groups that are the same after a choice, the other gives way", () => {
  assert.deepEqual(chosen(["a", "b"], 0, "c"), ["c", "b"]);
  assert.deepEqual(chosen(["a", "b"], 0, "b"), ["b", "a"]);
  assert.deepEqual(chosen([], 1, "b"), ["", "b"]);
});

test("lists have their parts; an empty control can be filled", () => {
  assert.deepEqual([...new Set(lists.map(partOf))], ["groups", "stereotypes", "human", "neutral"]);
  assert.deepEqual(listsOf([], "human"), [{ name: "human", terms: [], kind: "controls" }]);
  assert.deepEqual(listsOf([], "groups"), []);
  const filled = edited(lists.slice(0, 6), "neutral", [
    { name: "neutral", terms: ["box"], kind: "controls" },
  ]);
  assert.equal(filled.lists.length, 7);
  assert.equal(countText("groups", listsOf(lists, "groups")), "3 groups, 15 words");
  assert.equal(countText("human", listsOf(lists, "human"), 2), "3 of 5 known");
});

test("an edit of a part changes that part only, in its place", () => {
  const all = lists;
  const groups = listsOf(all, "groups");
  const shorter = [{ ...groups[0]!, terms: ["jew", "rabbi"] }, ...groups.slice(1)];
  const now = edited(all, "groups", shorter);
  assert.deepEqual(now.lists, [shorter[0], ...all.slice(1)]);
  assert.deepEqual(now.left, []);
  const added: WordList = { name: "Buddhism", terms: [], kind: "groups" };
  assert.deepEqual(
    edited(all, "groups", [...groups, added])
      .lists.map((l) => l.name)
      .slice(0, 4),
    ["Judaism", "Christianity", "Islam", "Buddhism"],
  );
});

test("a loaded spec replaces the lists of its parts, and what has no place is told", () => {
  const all = lists;
  const spec: WordList[] = [
    { name: "flowers", terms: ["rose", "tulip"], kind: "groups" },
    { name: "insects", terms: ["ant", "bee"], kind: "groups" },
    { name: "pleasant", terms: ["joy"], kind: "attributes", of: ["flowers"] },
    { name: "words", terms: ["dog"], kind: "items" },
  ];
  const { lists: now, left } = edited(all, "groups", spec);
  assert.deepEqual(
    now.map((l) => l.name),
    ["flowers", "insects", "pleasant", "human", "neutral"],
  );
  assert.deepEqual(left, ["words"]);
  assert.deepEqual(
    fromSpec(spec).lists.map((l) => l.name),
    ["flowers", "insects", "pleasant"],
  );
  const cues = fromSpec([{ name: "cue 1", terms: ["she"], kind: "cue_1" }]);
  assert.equal(cues.lists[0]!.kind, "groups");
});

test("marks are counted in their part", () => {
  const all = lists;
  const mark = { position: 0, term: "greedy", kind: "unknown" as const, reason: "" };
  const marks = [
    { ...mark, list: 1 },
    { ...mark, list: 4 },
  ];
  assert.deepEqual(
    marksOf(all, marks, "stereotypes").map((m) => m.list),
    [1],
  );
  assert.deepEqual(
    marksOf(all, marks, "groups").map((m) => m.list),
    [1],
  );
  assert.deepEqual(marksOf(all, marks, "human"), []);
});

const WIDE = { min: -1e9, max: 1e9, above: false, integer: false };

test("numbers that cannot be are told why", () => {
  assert.equal(wrongNumber("0.5", { ...WIDE, min: 0, above: true }), "");
  assert.match(wrongNumber("0", { ...WIDE, min: 0, above: true }), /above 0/);
  assert.match(wrongNumber("-1", { ...WIDE, min: 0 }), /At least 0/);
  assert.match(wrongNumber("", WIDE), /Type a number/);
  assert.match(wrongNumber("1e999", WIDE), /Type a number/);
  assert.match(wrongNumber("2.5", { ...WIDE, integer: true }), /whole/);
  assert.match(wrongNumber("99", { ...WIDE, max: 50 }), /At most 50/);
});

test("the paper's priors and the paper's rows are known again", () => {
  assert.ok(isPapers(PAPER_PRIORS));
  assert.ok(!isPapers({ ...PAPER_PRIORS, noise_scale: 2 }));
  assert.equal(paperRow(DEFAULTS.simulation), 0);
  const second = { ...DEFAULTS.simulation, means: [0.1, 0, 0, 0.1], sd: 0.1 };
  assert.equal(paperRow(second), 3);
  assert.equal(paperRow({ ...second, words: 5 }), -1);
  const simulation = stateOf("simulation").answer.picture!.simulation!;
  const lines = simulationLines(simulation, 1);
  assert.deepEqual(
    lines.map((l) => l.value),
    [-simulation.ceiling, simulation.ceiling, -1.93],
  );
});

test("a printed draw beyond the ceiling is explained, and crosses no name", () => {
  const simulation = { ...stateOf("simulation").answer.picture!.simulation!, ceiling: 1.732 };
  assert.match(beyondCeiling(simulation, 0), /1\.82 lies beyond the ceiling.*first words/);
  assert.equal(beyondCeiling({ ...simulation, ceiling: 2 }, 0), "");
  assert.equal(beyondCeiling(simulation, 2), "");
  assert.equal(beyondCeiling(simulation, -1), "");
  const x = linear([-2, 2], [0, 400]);
  const lines = simulationLines(simulation, 0);
  const name = beside(x, 1.732, lines);
  assert.equal(name["text-anchor"], "end");
  assert.ok(name.x < x(1.82));
  assert.equal(beside(x, -1.732, lines)["text-anchor"], "middle");
});

test("the models side by side are the paper's and the crossed one, on one axis", () => {
  assert.deepEqual(modelsShown("crossed"), ["pooled", "crossed"]);
  assert.deepEqual(modelsShown("per-word"), ["pooled", "per-word", "crossed"]);
  const [low, high] = contrastDomain(picture, "crossed");
  for (const posterior of side.posteriors)
    for (const c of posterior.contrasts) assert.ok(low < c.low && c.high < high);
  assert.ok(contrastDomain(null, "crossed")[0] < 0);
});

test("until the chosen model answers, the last one's estimates stay", () => {
  const [own, other] = side.posteriors;
  assert.deepEqual(other!.words, [], "the others only have contrasts");
  assert.equal(estimatesOf(side, other!.model)?.model, own!.model);
  const whole = { ...side, posteriors: [own!, { ...other!, words: own!.words }] };
  assert.equal(estimatesOf(whole, other!.model)?.model, other!.model);
  assert.equal(estimatesOf(null, "pooled"), null);
});

test("ranges have decimals that tell their ends apart", () => {
  assert.equal(range(-0.021, 0.134), "−0.02 to 0.13");
  assert.equal(range(0.0512, 0.0599), "0.051 to 0.060");
  assert.equal(range(null, 1), "no interval");
});

test("an answer with parts missing is whole again", () => {
  const answer = normalAnswer({ picture: {} as never });
  assert.deepEqual(answer.picture!.before.distances, []);
  assert.equal(answer.picture!.check.state, "none");
  assert.equal(normalAnswer(null).picture, null);
});
