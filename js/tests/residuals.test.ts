import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/psychometric.json";
import bench from "../src/benches/psychometric";
import { geometry } from "../src/benches/psychometric/layout";
import { bands, described, reachOf, stripOf } from "../src/benches/psychometric/picture/strip";
import type { PsychometricBenchState } from "../src/generated/psychometric";
import type { Fit } from "../src/generated/shared";
import { between, predictedPath } from "../src/lib/curvefit";
import { linear } from "../src/lib/scale";
import { allById, byId, settle } from "./dom";
import { mounted } from "./shown";

const stateOf = recorded<PsychometricBenchState>(scenarios);
const nurse = stateOf("nurse").answer.picture!;
const fit: Fit = {
  residual: [0, 0.01, -0.03],
  expected: [0.005, 0.02, 0.01],
  predicted: [0.05, 0.1, 0.2],
  describes: false,
  verdict: "The curve does not describe these answers: 1.8 points off on average, p = 0.01",
};
const levels = { alpha: [0, 0.5, 1], share: [0.1, 0.5, 0.9] };
const picture = { ...nurse, fit, levels };

function show(inputs: Partial<PsychometricBenchState> = {}) {
  const model = new FakeModel({ ...stateOf("nurse"), ...inputs });
  return mounted(bench, model);
}

test("the strip is as high whatever it says, and its lines do not meet", () => {
  for (const width of [288, 400, 694, 1100]) {
    const g = geometry(width);
    const s = stripOf(g);
    const lines = [...s.verdict, ...s.legend, s.title, s.top, s.bottom];
    lines.slice(1).forEach((y, i) => {
      assert.ok(y - lines[i]! >= 12, `at ${width}`);
    });
    assert.ok(g.height < s.verdict[0]! && s.bottom < g.height + s.height);
  }
});

test("the scale is round and holds residuals and their interval", () => {
  assert.equal(reachOf(fit), 0.05);
  assert.equal(reachOf({ ...fit, residual: [0, 0, 0], expected: [] }), 0.01);
  assert.equal(reachOf({ ...fit, residual: [0.7] }), 1);
});

test("values between two stimuli lie on a line, and there are none beyond them", () => {
  assert.equal(between([0.2, 0.4], [1, 3], 0.2), 1);
  assert.ok(Math.abs(between([0.2, 0.4], [1, 3], 0.3)! - 2) < 1e-9);
  assert.equal(between([0.2, 0.4], [1, 3], 0.1), null);
  assert.equal(between([0.2, 0.4], [1, 3], 0.5), null);
});

test("the predictive band lies around the curve and within 0 and 100 %", () => {
  const unit = linear([0, 1], [0, 1]);
  const curve = {
    alpha: [-0.1, 0, 0.5, 1],
    share: [0, 0.02, 0.5, 0.95],
    low: [],
    high: [],
    family: "normal",
  };
  const path = predictedPath(fit, levels.alpha, curve, unit, unit);
  assert.equal(path, "M0.00 0.00L0.50 0.40L1.00 0.75M0.00 0.07L0.50 0.60L1.00 1.00");
  assert.equal(predictedPath({ ...fit, predicted: [] }, levels.alpha, curve, unit, unit), "");
  assert.equal(predictedPath(null, levels.alpha, curve, unit, unit), "");
});

test("the two bands are named, and the residuals said", () => {
  assert.deepEqual(bands(picture), [
    "curves within the 95 % intervals of PSE and JND",
    "95 % of mean answers of 32 new replicates",
  ]);
  const graded = { ...picture, rows: { ...picture.rows, answers: [[0.5]] } };
  const pooled = { ...graded, interval_over: "resampled frames and cue pairs", unit: "frames" };
  assert.deepEqual(bands(pooled), [
    "95 % interval of the mean answer",
    "95 % of mean answers of 32 new frames and pairs",
  ]);
  assert.equal(
    described(picture),
    `Residuals. ${fit.verdict}. The largest is −3.0 points at 100 % male, 1 of 3 outside the interval expected of a right curve.`,
  );
});

test("a switch opens and closes the strip without asking Python again", async () => {
  const { model, root } = show();
  await settle();
  assert.equal(byId(root, "residuals"), null);
  const height = () => Number(root.querySelector(".drawing")!.getAttribute("height"));
  const closed = height();
  const { generation } = model.state;
  byId(root, "residuals-switch")!.click();
  await settle();
  assert.equal(allById(root, "residual").length, 21);
  assert.match(byId(root, "residuals")!.getAttribute("aria-label")!, /^Residuals\. The curve/);
  assert.ok(byId(root, "predicted"));
  assert.ok(height() > closed);
  assert.equal(model.state.residuals, true);
  assert.equal(model.state.generation, generation);
  byId(root, "residuals-switch")!.click();
  await settle();
  assert.equal(byId(root, "residuals"), null);
  assert.equal(height(), closed);
});

test("a picture without a fit says why", async () => {
  const state = stateOf("nurse");
  const answer = { ...state.answer, picture: { ...state.answer.picture!, fit: null } };
  const { root } = show({ residuals: true, answer });
  await settle();
  assert.match(byId(root, "residuals")!.textContent!, /empirical curve is the answers themselves/);
  assert.equal(byId(root, "predicted"), null);
});
