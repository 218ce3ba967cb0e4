import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/psychometric.json";
import bench from "../src/benches/psychometric";
import {
  type Layered,
  type LayerPoint,
  OUTPUTS,
  type PsychometricBenchState,
} from "../src/generated/psychometric";
import type { Command } from "../src/generated/shared";
import { byId, settle } from "./dom";
import { mounted } from "./shown";

const stateOf = recorded<PsychometricBenchState>(scenarios);

function show(
  layered: Partial<Layered>,
  inputs: Partial<PsychometricBenchState> = {},
  kind = "clm",
) {
  const nurse = stateOf("nurse");
  const subjects = [{ name: nurse.subject, about: "", kind, replicates: 1 }];
  const state = { ...nurse, subjects, ...inputs };
  const model = new FakeModel({ ...state, layered: { ...OUTPUTS.layered, ...layered } });
  return mounted(bench, model);
}

const point = (layer: number, more: Partial<LayerPoint> = {}): LayerPoint => ({
  layer,
  name: String(layer),
  pse: 0.4,
  corpus: [0.3, 0.45],
  jnd: 0.2,
  jnd_interval: [0.1, 0.3],
  even: 0.6,
  even_interval: [0.55, 0.65],
  lean: "cue_2",
  share: [0, 0.5, 1],
  ...more,
});
const READY: Partial<Layered> = {
  state: "ready",
  current: true,
  word: "nurse",
  cue_1: "she",
  cue_2: "he",
  verdict: [{ text: "The lean arises between layers 0 and 1.", role: "plain" }],
  alpha: [0, 0.5, 1],
  layers: [point(0), point(1, { pse: null, corpus: null, lean: "none" }), point(2, { pse: 1e9 })],
  before: 0,
  after: 1,
  arises: true,
};
const rows = (root: ShadowRoot) => [
  ...root.querySelectorAll<HTMLElement>('[data-testid="layer-row"]'),
];

test("only a language model has layers", async () => {
  for (const kind of ["", "observer", "embedding", "ensemble"]) {
    const { root } = show({}, {}, kind);
    await settle();
    assert.equal(byId(root, "layers-open"), null, kind);
  }
});

test("opening the section asks Python for all layers, and closing it ends that", async () => {
  for (const before of [false, true]) {
    const { model, root } = show({}, { all_layers: before });
    await settle();
    const opener = byId(root, "layers-open")!;
    assert.equal(opener.getAttribute("aria-expanded"), String(before));
    opener.click();
    await settle();
    assert.equal(opener.getAttribute("aria-expanded"), String(!before));
    assert.equal(model.get("all_layers"), !before);
  }
});

test("each layer has its numbers, and the place of the lean is marked", async () => {
  const { root } = show(READY, { all_layers: true });
  await settle();
  const names = rows(root).map((row) => row.getAttribute("aria-label"));
  assert.deepEqual(names, [
    "Layer 0: PSE 40 % he, JND 20 points",
    "Layer 1: no PSE, JND 20 points",
    "Layer 2: PSE above 100 % he, JND 20 points",
  ]);
  assert.match(rows(root)[2]!.textContent!, />100/);
  const step = byId(root, "layer-step")!;
  assert.equal(step.textContent, "the lean arises here");
  assert.equal(step.nextElementSibling, rows(root)[1]);
});

test("answers of all layers follow the slider without Python", async () => {
  const { model, root } = show(READY, { all_layers: true, alpha: 0.25 });
  await settle();
  const share = () => byId(root, "layer-share")!.textContent;
  assert.equal(share(), "25 %");
  const handle = byId(root, "alpha-handle")!;
  handle.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  await settle();
  assert.equal(share(), "26 %");
  assert.equal((model.get("command") as Command).id, 0);
});

test("a layer is chosen by click and by arrow key", async () => {
  const { model, root } = show(READY, { all_layers: true });
  await settle();
  rows(root)[2]!.click();
  await settle();
  assert.equal(model.get("layer"), 2);
  assert.equal(rows(root)[2]!.getAttribute("aria-checked"), "true");
  assert.match(byId(root, "layers-here")!.textContent!, /shows layer 2/);
  rows(root)[2]!.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
  await settle();
  assert.equal(rows(root)[1]!.getAttribute("aria-checked"), "true");
  byId(root, "layers-here")!.querySelector("button")!.click();
  await settle();
  assert.equal(rows(root)[0]!.getAttribute("aria-checked"), "true");
  assert.equal(byId(root, "layers-here"), null);
});

test("a failure says why and offers another try", async () => {
  const { model, root } = show(
    { state: "error", problem: "it has no list of blocks" },
    { all_layers: true },
  );
  await settle();
  const problem = byId(root, "layers-problem")!;
  assert.match(problem.textContent!, /no list of blocks/);
  problem.querySelector("button")!.click();
  await settle();
  assert.equal((model.get("command") as Command).name, "retry_layers");
});

test("a working search can be stopped", async () => {
  const { model, root } = show({ state: "working" }, { all_layers: true });
  await settle();
  byId(root, "layers-stop")!.click();
  await settle();
  assert.equal((model.get("command") as Command).name, "stop_layers");
});
