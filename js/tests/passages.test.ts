import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/psychometric.json";
import bench from "../src/benches/psychometric";
import { OUTPUTS, type PsychometricBenchState, type Traced } from "../src/generated/psychometric";
import type { Command } from "../src/generated/shared";
import { byId, settle } from "./dom";
import { mounted } from "./shown";

const stateOf = recorded<PsychometricBenchState>(scenarios);

function show(traced: Partial<Traced>, kind = "ensemble") {
  const nurse = stateOf("nurse");
  const subjects = [{ name: nurse.subject, about: "", kind, replicates: 32 }];
  const state = { ...nurse, subjects, traced: { ...OUTPUTS.traced, offered: true, ...traced } };
  const model = new FakeModel({ ...state });
  return mounted(bench, model);
}

const command = (model: FakeModel) => model.get("command") as Command;

const PASSAGE = {
  line: 12345,
  pull: 0.0041,
  low: 0.0027,
  high: 0.0055,
  text: [
    { text: "she", role: "group1" as const },
    { text: " served as a ", role: "plain" as const },
    { text: "nurse", role: "strong" as const },
  ],
};
const READY: Partial<Traced> = {
  state: "ready",
  possible: true,
  current: true,
  word: "nurse",
  cue_1: "she",
  cue_2: "he",
  verdict: [{ text: "1 passage pulls nurse.", role: "plain" }],
  toward_1: [PASSAGE],
};

test("nothing is there for a subject that cannot be traced", async () => {
  const { root } = show({ offered: false });
  await settle();
  assert.equal(byId(root, "passages-open"), null, "its corpus was not counted");
  for (const kind of ["", "observer", "embedding", "mlm"]) {
    const { root } = show({}, kind);
    await settle();
    assert.equal(byId(root, "passages-open"), null, kind);
  }
});

test("the section stays where the word is unknown, and asks nothing", async () => {
  const { model, root } = show({ possible: false });
  await settle();
  byId(root, "passages-open")!.click();
  await settle();
  assert.equal(command(model).id, 0);
  assert.ok((byId(root, "passages-find") as HTMLButtonElement).disabled);
});

test("opening the section asks Python once", async () => {
  const { model, root } = show({ possible: true });
  await settle();
  const opener = byId(root, "passages-open")!;
  assert.equal(opener.getAttribute("aria-expanded"), "false");
  assert.equal(command(model).id, 0);
  opener.click();
  await settle();
  assert.equal(opener.getAttribute("aria-expanded"), "true");
  assert.equal(command(model).name, "trace");
  const { id } = command(model);
  opener.click();
  await settle();
  opener.click();
  await settle();
  assert.equal(command(model).id, id);
});

test("passages show their pull in points, with the words marked", async () => {
  const { model, root } = show(READY);
  await settle();
  byId(root, "passages-open")!.click();
  await settle();
  assert.equal(command(model).id, 0);
  const item = byId(root, "passages-1")!.querySelector("li")!;
  assert.match(item.textContent!, /\+0\.41\+0\.27 to \+0\.55, line 12,345she served as a nurse/);
  assert.equal(item.querySelector(".strong.g1")?.textContent, "she");
  assert.equal(byId(root, "passages-2")!.children.length, 0);
  assert.match(byId(root, "passages")!.textContent!, /No passage does\./);
});

test("passages of an earlier question are named, and those of this one can be found", async () => {
  const { model, root } = show({ ...READY, current: false, word: "clerk" });
  await settle();
  byId(root, "passages-open")!.click();
  await settle();
  assert.match(byId(root, "passages-other")!.textContent!, /earlier question, about “clerk”/);
  byId(root, "passages-find")!.click();
  await settle();
  assert.equal(command(model).name, "trace");
});

test("what was found can be checked by leaving it out, once", async () => {
  const { model, root } = show(READY);
  await settle();
  byId(root, "passages-open")!.click();
  await settle();
  byId(root, "passages-check")!.click();
  await settle();
  assert.deepEqual(command(model).args, { check: true });
  const checked = show({ ...READY, checked: true });
  await settle();
  byId(checked.root, "passages-open")!.click();
  await settle();
  assert.equal(byId(checked.root, "passages-check"), null);
});

test("a search that goes on can be stopped, and one that failed says why", async () => {
  const working = show({
    state: "working",
    possible: true,
    progress: { done: 1, total: 4, message: "reading counts", seconds_left: 3 },
  });
  await settle();
  byId(working.root, "passages-open")!.click();
  await settle();
  assert.match(byId(working.root, "passages-working")!.textContent!, /reading counts, about 3 s/);
  byId(working.root, "passages-stop")!.click();
  await settle();
  assert.equal(command(working.model).name, "stop_trace");

  const failed = show({ state: "error", possible: true, current: true, problem: "No counts." });
  await settle();
  byId(failed.root, "passages-open")!.click();
  await settle();
  assert.equal(byId(failed.root, "passages-problem")!.textContent, "No counts.");
  assert.equal(byId(failed.root, "passages-find")!.textContent, "Try again");
});
