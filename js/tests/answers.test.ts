import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answersAt,
  bySwitch,
  drawnRows,
  gradedShare,
  rowShare,
  sideOf,
} from "../src/benches/psychometric/answers";
import { columnsFor } from "../src/benches/psychometric/Dock";
import { geometry, rowBand } from "../src/benches/psychometric/layout";
import { gridKey, handleKey, SHARE } from "../src/lib/keys";

const SWITCHES = [0.62, 0.69, 0.52, 0.57, 0.58, 1.2, -0.1];
const rows = (values: number[]) => ({
  replicate: values.map((_, i) => i + 1),
  pair: values.map(() => 0),
  switch: values,
  sim_1: [],
  sim_2: [],
  sim_cues: [],
  answers: [] as number[][],
});

test("counts at alpha equal a brute-force count, and add up", () => {
  for (const alpha of [0, 0.3, 0.575, 0.58, 0.6, 1]) {
    const found = answersAt(SWITCHES, 0, alpha);
    const male = SWITCHES.filter((s) => s < alpha).length;
    assert.deepEqual(found, { cue1: 7 - male, cue2: male, share: male / 7 });
  }
  assert.deepEqual(answersAt([], 0, 0.5), { cue1: 0, cue2: 0, share: 0 });
});

test("graded answers are read between two stimuli, and their sum is the count", () => {
  const graded = {
    alphas: [0, 0.5, 1],
    answers: [
      [0.1, 0.3, 0.9],
      [0.6, 0.6, 0.6],
    ],
  };
  assert.ok(Math.abs(gradedShare(graded, 0, 0.25) - 0.2) < 1e-12);
  assert.equal(gradedShare(graded, 0, 0), 0.1);
  assert.ok(Math.abs(gradedShare(graded, 0, 1) - 0.9) < 1e-12);
  assert.equal(gradedShare(graded, 0, 1.4), 0.9);
  const found = answersAt([0.7, -1e9], 0, 0.5, graded);
  assert.ok(Math.abs(found.share - 0.45) < 1e-12);
  assert.equal(found.cue1 + found.cue2, 2);
});

test("rows without a switch point stand in the order of their answers", () => {
  const far = { ...rows([1e9, 1e9, 0.4, -1e9]), answers: [[0.1], [0.4], [0.5], [0.9]] };
  assert.deepEqual(bySwitch(far), [3, 2, 1, 0]);
});

test("noise turns counts into expected counts that still add up", () => {
  const found = answersAt(SWITCHES, 0.1, 0.58);
  assert.ok(Math.abs(found.cue1 + found.cue2 - 7) < 1e-9);
  assert.ok(found.cue2 > 2 && found.cue2 < 5);
  assert.equal(rowShare(0.6, 0.6, 0.1), 0.5);
  assert.equal(rowShare(0.6, 0.61, 0), 1);
  assert.equal(sideOf(0.6, 0.61), 2);
});

test("rows are ordered by switch point, and thinned evenly", () => {
  assert.deepEqual(bySwitch(rows(SWITCHES)), [6, 2, 3, 4, 0, 1, 5]);
  const order = Array.from({ length: 4096 }, (_, i) => i);
  const drawn = drawnRows(order, 512);
  assert.equal(drawn.length, 512);
  assert.equal(drawn[0], 4);
  assert.equal(drawn.at(-1), 4092);
  assert.deepEqual(drawnRows([3, 1], 512), [3, 1]);
});

test("rows fill the plot from the bottom to the top", () => {
  const g = geometry(694);
  const first = rowBand(g, 0, 32);
  const last = rowBand(g, 31, 32);
  assert.equal(first.y + first.h, g.bottom);
  assert.ok(Math.abs(last.y - g.top) < 1e-9);
  for (const width of [288, 320, 400, 694, 1100]) {
    const narrow = geometry(width);
    assert.ok(narrow.right < width && narrow.left < narrow.right, `at ${width}`);
  }
});

test("keys of the handle", () => {
  const key = (key: string, shiftKey = false, now = 0.58, p: number | null = 0.613) =>
    handleKey({ key, shiftKey }, now, SHARE, { n: 0.5, p });
  assert.equal(key("ArrowRight"), 0.59);
  assert.equal(key("ArrowLeft", true), 0.48);
  assert.equal(key("Home"), 0);
  assert.equal(key("End"), 1);
  assert.equal(key("n"), 0.5);
  assert.equal(key("P", true), 0.613);
  assert.equal(key("x"), null);
  assert.equal(key("ArrowRight", false, 0.999), 1);
  assert.equal(key("p", false, 0.5, 1.12), 1, "PSE off the axis");
  assert.equal(key("p", false, 0.5, null), null);
  const years = { low: 0, high: 16, step: 0.5, far: 2.5 };
  const moved = (key: string, shiftKey: boolean) => handleKey({ key, shiftKey }, 12.5, years);
  assert.deepEqual([moved("ArrowUp", false), moved("ArrowRight", true)], [13, 15]);
});

test("arrows in a grid stay inside it", () => {
  assert.equal(gridKey("ArrowRight", 31, 32, 16), 31);
  assert.equal(gridKey("ArrowDown", 3, 32, 16), 19);
  assert.equal(gridKey("ArrowUp", 3, 32, 16), 3);
  assert.equal(gridKey("End", 3, 32, 16), 31);
  assert.equal(gridKey("Tab", 3, 32, 16), null);
  assert.equal(columnsFor(918, 32), 16);
  assert.equal(columnsFor(288, 32), 4);
});
