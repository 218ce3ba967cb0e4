import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { FakeModel, FakePanelModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/psychometric.json";
import bench from "../src/benches/psychometric";
import type { Inputs } from "../src/benches/psychometric/store";
import type { Answer, PsychometricBenchState } from "../src/generated/psychometric";
import { allById, byId, settle, until } from "./dom";
import { type ModelKind, mounted, type } from "./shown";

const stateOf = recorded<PsychometricBenchState>(scenarios);

afterEach(() => {
  delete document.documentElement.dataset.theme;
});

interface More {
  inputs?: Partial<Inputs>;
  answer?: Partial<Answer>;
  Kind?: ModelKind;
}

function show(scenario = "nurse", { inputs, answer, Kind = FakeModel }: More = {}) {
  const state = { ...stateOf(scenario), ...inputs };
  const model = new Kind({ ...state, answer: { ...state.answer, ...answer } });
  return mounted(bench, model);
}

const answerAs = (scenario: string, model: FakeModel) => {
  const { generation } = model.state;
  model.receive({ answer: { ...stateOf(scenario).answer, generation } });
};

test("the curve that was chosen is named beside its setting, and a setting of one's own is not", async () => {
  const { root, model } = show("nurse");
  await settle();
  assert.equal(byId(root, "curve-drawn")!.textContent, "normal");
  model.receive({ curve: "logistic" });
  await settle();
  assert.equal(byId(root, "curve-drawn")!.textContent, "");
});

for (const Kind of [FakeModel, FakePanelModel]) {
  test(`the numbers stand on the screen (${Kind.name})`, async () => {
    const { root } = show("nurse", { inputs: { alpha: 0.58 }, Kind });
    await settle();
    assert.match(byId(root, "verdict")!.textContent!, /needs \d+ % male .* nurse/);
    assert.equal(allById(root, "raw-chip").length, 32);
    const counts = [1, 2].map((i) => Number(byId(root, `count-cue-${i}`)!.textContent));
    assert.equal(counts[0]! + counts[1]!, 32);
    assert.equal(byId(root, "bench")!.dataset.state, "ready");
  });

  test(`keys move the handle, the counts and Python (${Kind.name})`, async () => {
    const { root, model } = show("nurse", { inputs: { alpha: 0.58 }, Kind });
    await settle();
    const handle = byId(root, "alpha-handle")!;
    handle.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
    await settle();
    assert.equal(byId(root, "count-cue-2")!.textContent, "32", "before Python answers");
    assert.match(handle.getAttribute("aria-valuetext")!, /^100 % male: 32 of 32 answer male/);
    assert.equal(model.state.alpha, 1);
    assert.equal(model.state.generation, 0, "no answer is asked for");
  });
}

test("each painted answer is told", async () => {
  const { root, model } = show();
  const told: number[] = [];
  const node = byId(root, "bench")!;
  node.addEventListener("biaslab:painted", (event) => {
    told.push((event as CustomEvent<{ generation: number }>).detail.generation);
  });
  await until("the first answer is painted", () => node.dataset.generation === "0");
  type(root, "noise", "0.1");
  answerAs("noise", model);
  await until("the event has come", () => told.includes(1));
  assert.equal(node.dataset.generation, "1");
});

test("HTML in a word is text, wherever it is shown", async () => {
  const { root, model } = show("HTML in the word");
  const word = model.state.word as string;
  assert.match(word, /<img .*<b>/);
  await settle();
  const evil = () => root.querySelectorAll("img, b img, script").length;
  assert.equal(evil(), 0);
  assert.ok(byId(root, "message-title")!.textContent!.includes(word));
  const picture = stateOf("nurse").answer.picture!;
  const hostile = {
    ...picture,
    word,
    cue_1: "<i>a</i>",
    verdict: [{ text: word, role: "strong" as const }],
    caveat: word,
    footer: [word],
  };
  const unknown = { term: word, role: "item", reason: word, suggestions: [word] };
  model.receive({ answer: { generation: 1, state: "ready", picture: hostile, unknown } });
  await settle();
  assert.equal(evil(), 0);
  assert.equal(byId(root, "verdict")!.textContent, word);
  assert.equal(root.querySelectorAll("svg i").length, 0);
});

test("an unknown word is marked where it stands, and a suggestion repairs it", async () => {
  const { root, model } = show("unknown word");
  await settle();
  const input = byId(root, "word-input")!;
  assert.equal(input.getAttribute("aria-invalid"), "true");
  assert.match(byId(root, "word-problem")!.textContent!, /vocabulary/);
  const first = allById(root, "message-action")[0]!;
  first.click();
  assert.equal(model.state.word, first.textContent);
});

test("an error keeps the picture and the inputs; its first button is the safest", async () => {
  const { root } = show("noise");
  await settle();
  const again = show("noise", {
    answer: {
      state: "error",
      message: {
        title: "This file ends in the middle of line 48,213",
        text: "97 of 100 numbers were read.",
        actions: [
          { label: "Use the first 48,212 words", command: "retry" },
          { label: "Other file", set: { subject: "" } },
        ],
      },
    },
  });
  await settle();
  const title = byId(again.root, "message-title")!;
  assert.match(title.textContent!, /line 48,213/);
  assert.ok(again.root.querySelector(".picture.stale .curve"), "the last picture, in grey");
  assert.equal((byId(again.root, "noise") as HTMLInputElement).value, "0.1");
  const [first] = allById(again.root, "message-action");
  assert.ok(first!.classList.contains("first"));
  first!.click();
  assert.deepEqual(again.model.sent.at(-1), { command: { id: 1, name: "retry", args: {} } });
  assert.equal(root.querySelector(".picture.stale"), null, "another instance is untouched");
});

test("long work shows its progress and can be stopped", async () => {
  const message = { title: "12 of 32 replicates", text: "", actions: [] };
  const { root, model } = show("nurse", { answer: { state: "loading", message } });
  model.receive({ progress: { done: 12, total: 48, message: "replicates", seconds_left: 40 } });
  await settle();
  assert.equal(byId(root, "progress")!.getAttribute("aria-valuenow"), "25");
  assert.match(byId(root, "message-text")!.textContent!, /About 40 s left/);
  const stop = allById(root, "message-action")[0]!;
  assert.equal(stop.textContent, "Stop, keep 12");
  stop.click();
  assert.equal((model.state.command as { name: string }).name, "stop");
});

test("two views of one model and two models do not disturb each other", async () => {
  const first = show("nurse", { inputs: { alpha: 0.2 } });
  const second = show("chef", { inputs: { alpha: 0.8 } });
  const { root } = mounted(bench, first.model);
  await settle();
  byId(first.root, "alpha-handle")!.dispatchEvent(
    new KeyboardEvent("keydown", { key: "Home", bubbles: true }),
  );
  await settle();
  const value = (root: ParentNode) => byId(root, "alpha-value")!.dataset.value;
  assert.equal(value(first.root), "0");
  assert.equal(value(root), "0", "the other view of the model follows");
  assert.equal(value(second.root), "0.8");
});

test("clean-up takes everything away; rendering again into the element works", async () => {
  const { model, el, close } = show();
  await settle();
  close();
  assert.equal(model.listening, 0);
  assert.equal(el.shadowRoot!.childElementCount, 0);
  const again = bench.render({ model, el });
  await settle();
  assert.ok(byId(el.shadowRoot!, "verdict"));
  close();
  assert.ok(byId(el.shadowRoot!, "verdict"), "the first clean-up does not touch the second view");
  again();
});

test("the theme follows the page while it is shown", async () => {
  document.documentElement.dataset.theme = "dark";
  const { root } = show();
  await settle();
  const node = byId(root, "bench")!;
  assert.equal(node.dataset.theme, "dark");
  delete document.documentElement.dataset.theme;
  document.body.setAttribute("data-jp-theme-light", "true");
  await until("JupyterLab's light theme is followed", () => node.dataset.theme === "light");
  document.body.setAttribute("data-jp-theme-light", "false");
  await until("JupyterLab's dark theme is followed", () => node.dataset.theme === "dark");
  document.body.removeAttribute("data-jp-theme-light");
});

test("swapping the cues mirrors the stimulus", async () => {
  const { root, model } = show("nurse", { inputs: { alpha: 0.3 } });
  await settle();
  byId(root, "swap-cues")!.click();
  assert.deepEqual((model.state.pairs as string[][])[0], ["male", "female"]);
  assert.equal(model.state.alpha, 0.7);
});
