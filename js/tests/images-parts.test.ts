import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/images.json";
import { answerAt } from "../src/benches/images/morph/Curve";
import { wordBoxes } from "../src/benches/images/morph/labels";
import { curveGeometry } from "../src/benches/images/morph/layout";
import { snapped, stepped } from "../src/benches/images/morph/steps";
import { itemsOf, pictureKey } from "../src/benches/images/pictures/listing";
import type { View } from "../src/benches/images/store";
import { conceptNames, normalAnswer } from "../src/benches/images/store";
import { geometry, rowsIn, scoreScale } from "../src/benches/images/test/layout";
import { foundBy, outcomeCounts, sectionsOf, squaresOf } from "../src/benches/images/test/rows";
import { tableOf } from "../src/benches/images/test/table";
import { rangeText, scoreSaid, scoreText, toneSaid } from "../src/benches/images/texts";
import type { ImageBenchState } from "../src/generated/images";
import { overlap } from "../src/lib/boxes";

const stateOf = recorded<ImageBenchState>(scenarios);
/** The picture of a term, by its number. */
const idOf = (term: string, n: number) =>
  stateOf().images.images.find(({ alt }) => alt === `${term} ${n}`)!.id;

function viewOf(scenario = "tested"): View {
  const state = stateOf(scenario);
  return {
    ...state,
    inputs: state,
    order: state.images.images.map((image) => image.id),
    outcome: "all",
    search: "",
    sort: "list",
    within: "score",
    hovered: null,
    held: null,
    asked: null,
    undoable: [],
    thumbs: 0,
    dragging: false,
    waiting: false,
    overdue: false,
    notice: null,
  } as unknown as View;
}

test("pictures stand in lines under their terms, and keys lead through them", () => {
  const images = stateOf().images;
  const items = itemsOf(images, "all", "", 3);
  assert.deepEqual(
    items.map((item) =>
      item.kind === "head" ? images.terms[item.term]!.name : item.images.length,
    ),
    ["female nurse", 3, 2, "female scientist", 3, 2, "male nurse", 3, 2, "male scientist", 3, 2],
  );
  assert.equal(pictureKey("Home", "", items), idOf("female nurse", 0));
  assert.equal(pictureKey("ArrowDown", "", items), idOf("female nurse", 0));
  assert.equal(pictureKey("ArrowRight", idOf("female nurse", 2), items), idOf("female nurse", 3));
  assert.equal(pictureKey("ArrowLeft", idOf("female nurse", 0), items), idOf("female nurse", 0));
  assert.equal(
    pictureKey("ArrowDown", idOf("female nurse", 2), items),
    idOf("female nurse", 4),
    "a short line",
  );
  assert.equal(
    pictureKey("ArrowDown", idOf("female nurse", 4), items),
    idOf("female scientist", 1),
  );
  assert.equal(pictureKey("End", "", items), idOf("male scientist", 4));
  assert.equal(pictureKey("x", idOf("female nurse", 0), items), null);
  assert.equal(pictureKey("ArrowDown", "", []), null);
});

test("pictures are found by what they show, where they are from, and their remarks", () => {
  const images = stateOf().images;
  const shown = (which: Parameters<typeof itemsOf>[1], search: string) =>
    itemsOf(images, which, search, 50).flatMap((i) => (i.kind === "line" ? i.images : []));
  assert.equal(shown("own", "").length, 4);
  assert.deepEqual(
    shown("remark", "").map((image) => image.id),
    [idOf("female nurse", 1)],
  );
  assert.deepEqual(
    shown("all", "NURSE 3 drawn").map((image) => image.id),
    [idOf("female nurse", 3), idOf("male nurse", 3)],
  );
  assert.equal(itemsOf(images, "all", "nobody", 50).length, 0);
});

test("a term without pictures keeps its head; pictures of a term in no list stand last", () => {
  const { images } = stateOf();
  images.images = images.images
    .filter((image) => image.term !== 1)
    .map((image) => (image.term === 3 ? { ...image, term: -1 } : image));
  const heads = itemsOf(images, "all", "", 5).flatMap((i) => (i.kind === "head" ? [i.term] : []));
  assert.deepEqual(heads, [0, 1, 2, 3, -1]);
});

test("squares are sorted by score, and stay in one place when that is asked for", () => {
  const view = viewOf();
  const table = tableOf(view, 590);
  const [model] = table.models;
  for (const images of model!.squares.ids) {
    const scores = images.map((id) => table.scored("portrait-clip", id).score ?? -1);
    assert.deepEqual(
      scores,
      [...scores].sort((a, b) => b - a),
    );
  }
  const fixed = tableOf({ ...view, within: "place" }, 590).models[0]!.squares;
  assert.deepEqual(fixed.ids[0], table.rows[0]!.ids);
  assert.equal(fixed.places.get(idOf("female scientist", 2))?.row, 1);
  assert.equal(fixed.places.get(idOf("female scientist", 2))?.at, 2);
});

test("filter and search fade the squares that they leave out", () => {
  const view = viewOf();
  const { rows, at } = tableOf(view, 590);
  const scored = tableOf(view, 590).scored;
  const found = foundBy(view.images, "male 4");
  assert.equal(found?.size, 4, "female is found by male, too");
  const filter = { outcome: "with" as const, found };
  const { rows: made } = squaresOf(rows, at.tops, "portrait-clip", scored, "place", filter);
  for (const [r, row] of made.entries())
    rows[r]!.ids.forEach((id, i) => {
      const left = found!.has(id) && /[ABC]/.test(row.tones[i]!);
      assert.equal(row.faded[i], left ? "0" : "1");
    });
  const counts = outcomeCounts(view);
  assert.equal(counts.all, 20);
  assert.equal(counts.with + counts.against + counts.t + counts.f, 20);
});

test("rows are sorted by score and by name; before a test they are those of the pictures", () => {
  const view = viewOf();
  const scores = sectionsOf({ ...view, sort: "score" })[0]!.rows.map(
    (row) => row.scores[0]!.score!,
  );
  assert.deepEqual(
    scores,
    [...scores].sort((a, b) => b - a),
  );
  assert.deepEqual(
    sectionsOf({ ...view, sort: "name" })[0]!.rows.map((row) => row.name),
    ["female nurse", "female scientist", "male nurse", "male scientist"],
  );
  assert.deepEqual(
    sectionsOf(view).map(({ name, rows }) => [name, rows.length]),
    [
      ["women", 2],
      ["men", 2],
    ],
  );
  const untested = sectionsOf(viewOf("untested"));
  assert.deepEqual(
    untested.map(({ name, rows }) => [name, rows.map((row) => row.ids.length)]),
    [
      ["women", [5, 5]],
      ["men", [5, 5]],
    ],
  );
});

test("the axis has 50 in its middle, and shows all ends", () => {
  const sections = sectionsOf(viewOf());
  for (const width of [330, 590, 900])
    for (const ends of [[0.4, 0.6], [0.02]]) {
      const g = geometry(width, sections, ends);
      const x = scoreScale(g);
      assert.ok(Math.abs(x(0.5) - (g.axis[0] + g.axis[1]) / 2) < 1e-9);
      for (const end of ends) assert.ok(x(end) >= g.axis[0] && x(end) <= g.axis[1]);
      assert.ok(g.grid + g.gridWidth < g.axis[0], `${width}`);
      const rows = rowsIn(sections, g);
      assert.equal(rows.tops.length, 4);
      assert.ok(rows.middles.every((y, i) => i === 0 || y > rows.middles[i - 1]! + 30));
    }
  assert.ok(geometry(10, sections, []).gridWidth > 0);
});

test("a score as people read it, and as it is said", () => {
  const score = {
    score: 0.625,
    low: 0.55,
    high: 0.701,
    lean: 1 as const,
    images: 30,
    stereotyped: 20,
  };
  assert.equal(scoreText(score), "62");
  assert.equal(rangeText(score), "55–70");
  assert.equal(scoreSaid(score), "score 62, 55 to 70, 20 of 30 pictures above 50");
  assert.equal(scoreText({ ...score, score: null }), "–");
  assert.equal(rangeText({ ...score, low: null }), "");
  assert.deepEqual(["A", "c", "t", "f", "-"].map(toneSaid), [
    "with the stereotype",
    "against the stereotype",
    "even",
    "failed",
    "not tested yet",
  ]);
});

test("the concept lists are named in the order of the groups that they are tied to", () => {
  const view = viewOf("untested");
  assert.deepEqual(conceptNames(view), ["helpers", "experts"]);
  const lists = [...view.inputs.lists.slice(0, 2), ...view.inputs.lists.slice(2).reverse()];
  assert.deepEqual(conceptNames({ ...view, inputs: { ...view.inputs, lists } }), [
    "helpers",
    "experts",
  ]);
});

test("an answer of an older Python is filled up", () => {
  const answer = normalAnswer({ generation: 3, picture: { verdict: [] } as never });
  assert.deepEqual(answer.steps, []);
  assert.deepEqual(answer.picture?.terms, []);
  assert.equal(answer.picture?.run.number, 0);
  assert.equal(normalAnswer(null).picture, null);
});

test("the answer at a blend lies between those that were fitted", () => {
  const { curve } = stateOf().morph.picture!;
  assert.equal(answerAt(curve, 0), curve.mean[0]);
  assert.equal(answerAt(curve, 1), curve.mean.at(-1));
  const [a, b] = [curve.mean[60]!, curve.mean[61]!];
  assert.ok(Math.abs(answerAt(curve, 0.605)! - (a + b) / 2) < 1e-9);
  assert.equal(answerAt({ ...curve, alphas: [], mean: [] }, 0.5), null);
});

test("where only some blends can be shown the handle goes to the nearest, a key to the next", () => {
  const steps = [0, 0.25, 0.5, 1];
  assert.equal(snapped(0.3, []), 0.3);
  assert.equal(snapped(0.3, steps), 0.25);
  assert.equal(stepped(0.25, 0.26, steps), 0.5);
  assert.equal(stepped(0.25, 0.24, steps), 0);
  assert.equal(stepped(1, 1, steps), 1);
  assert.equal(stepped(0.25, 0.9, steps), 1);
  assert.equal(stepped(0.4, 0.41, []), 0.41);
});

test("every picture has a score and a tone of each model", () => {
  const { images, scores } = stateOf("two models");
  for (const { scores: values, tones } of scores.models) {
    assert.equal(values.length, images.images.length);
    assert.equal(tones.length, values.length);
    assert.match(tones, /^[A-Ca-ctf-]+$/);
  }
});

test("the words at the morphs' curve stay in the chart and apart, on a phone too", () => {
  const picture = stateOf().morph.picture!;
  for (const width of [320, 342, 600]) {
    const g = curveGeometry(width);
    const [pse, interval] = wordBoxes(g, picture);
    for (const box of [pse!, interval!]) assert.ok(box.left >= 0 && box.right <= width, `${width}`);
    assert.ok(!overlap(pse!, interval!));
    assert.ok(interval!.bottom < g.trackY - 9, "above the handle");
  }
});
