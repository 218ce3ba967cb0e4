import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel, FakePanelModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/psychometric.json";
import { type Inputs, normalAnswer, Store } from "../src/benches/psychometric/store";
import type { PsychometricBenchState } from "../src/generated/psychometric";
import { Host } from "../src/host";
import { filled } from "../src/lib/bench/records";
import { ManualClock } from "./clock";

type Model = new (state: Record<string, unknown>) => FakeModel;

const stateOf = recorded<PsychometricBenchState>(scenarios);

function setup(Kind: Model = FakeModel, inputs: Partial<Inputs> = {}) {
  const model = new Kind({ ...stateOf("nurse"), ...inputs });
  const clock = new ManualClock();
  const store = new Store(new Host<PsychometricBenchState>(model), clock);
  const answer = () => {
    const { generation } = model.state;
    model.receive({ answer: { ...stateOf("nurse").answer, generation } });
  };
  return { model, store, clock, answer };
}

test("a change shows at once and is sent with its generation, one message at a time", () => {
  const { model, store, answer } = setup();
  store.set({ noise: 0.1 });
  store.set({ noise: 0.2 });
  assert.equal(store.view.inputs.noise, 0.2);
  assert.deepEqual(model.sent, [{ noise: 0.1, generation: 1 }]);
  answer();
  assert.deepEqual(model.sent[1], { noise: 0.2, generation: 2 });
  answer();
  assert.equal(store.view.answer.generation, 2);
  assert.equal(store.view.waiting, false);
});

test("a change of the view is sent now and then, and nothing is awaited", () => {
  const { model, store, clock } = setup();
  for (const alpha of [0.6, 0.7, 0.8]) store.set({ alpha });
  assert.equal(store.view.inputs.alpha, 0.8);
  assert.equal(store.view.waiting, false);
  assert.deepEqual(model.sent, [{ alpha: 0.6 }]);
  clock.advance(100);
  assert.deepEqual(model.sent, [{ alpha: 0.6 }, { alpha: 0.8 }]);
  clock.advance(1000);
  assert.equal(model.sent.length, 2);
});

test("a command finds the inputs that are on the screen, also while an answer is awaited", () => {
  const { model, store, answer } = setup();
  store.set({ noise: 0.1 });
  store.set({ noise: 0.2 });
  void store.command("save-run");
  const inputs = [
    { noise: 0.1, generation: 1 },
    { noise: 0.2, generation: 2 },
  ];
  assert.deepEqual(model.sent.slice(0, 2), inputs);
  assert.ok("command" in (model.sent[2] as object));
  answer();
  assert.equal(store.view.answer.generation, 2);
  assert.equal(store.view.waiting, false);
});

test("what was changed of the view is sent before a command, and when the view goes", () => {
  const { model, store } = setup();
  store.set({ alpha: 0.6 });
  store.set({ alpha: 0.7 });
  void store.command("save-run");
  assert.deepEqual(model.sent.map(Object.keys), [["alpha"], ["alpha"], ["command"]]);
  store.set({ alpha: 0.8 });
  store.dispose();
  assert.deepEqual(model.sent.at(-1), { alpha: 0.8 });
});

test("parts of an answer that have not changed stay the same objects", () => {
  const { model, store, answer } = setup();
  store.set({ word: "nurse" });
  answer();
  const before = store.view.answer;
  store.set({ noise: 0.1 });
  const { picture } = structuredClone(before);
  model.receive({ answer: { ...before, generation: 2, picture: { ...picture, word: "chef" } } });
  const after = store.view.answer;
  assert.equal(after.picture!.word, "chef");
  assert.equal(after.picture!.rows, before.picture!.rows);
  assert.equal(after.message, before.message);
});

test("in Panel, too, a change and its generation travel as one message", () => {
  const { model, store } = setup(FakePanelModel);
  store.set({ word: "teacher", alpha: 0.4 });
  assert.deepEqual(model.sent, [{ word: "teacher", alpha: 0.4, generation: 1 }]);
});

test("an answer to an older message is not painted", () => {
  const { model, store } = setup();
  const before = store.view.answer;
  store.set({ word: "teacher" });
  model.receive({ answer: stateOf("chef").answer });
  assert.equal(store.view.answer, before);
});

test("Python moves the screen, but not under the hand", () => {
  const { model, store } = setup();
  model.receive({ word: "chef" });
  assert.equal(store.view.inputs.word, "chef");
  store.set({ alpha: 0.6 });
  store.set({ alpha: 0.7 });
  model.receive({ alpha: 0.6 });
  assert.equal(store.view.inputs.alpha, 0.7, "0.7 waits to be sent and is newer");
});

test("words step round and round", () => {
  const { store } = setup(FakeModel, { words: ["nurse", "chef"], word: "nurse" });
  store.step(1);
  assert.equal(store.view.inputs.word, "chef");
  store.step(1);
  assert.equal(store.view.inputs.word, "nurse");
  store.step(-1);
  assert.equal(store.view.inputs.word, "chef");
});

test("a word that stands twice does not hold up the steps", () => {
  const words = ["nurse", "chef", "nurse", "teacher"];
  const { store } = setup(FakeModel, { words, word: "nurse" });
  const seen = [1, 2, 3].map(() => {
    store.step(1);
    return store.view.inputs.word;
  });
  assert.deepEqual(seen, ["chef", "teacher", "nurse"]);
  store.step(-1);
  assert.equal(store.view.inputs.word, "teacher");
});

test("a held row is released when the rows mean something else", () => {
  const { store } = setup();
  store.pin(5);
  store.set({ alpha: 0.61 });
  assert.equal(store.view.pinned, 5);
  store.set({ word: "chef" });
  assert.equal(store.view.pinned, null);
  store.pin(5);
  store.pin(5);
  assert.equal(store.view.pinned, null, "a second click releases");
});

test("a reply finds its command; a second command waits for the first", async () => {
  const { model, store } = setup();
  const save = store.command("save");
  const csv = store.command("csv");
  const sent = () => model.sent.map((m) => (m.command as { name: string }).name);
  assert.deepEqual(sent(), ["save"]);
  model.receive({ reply: { id: 99, ok: true, message: "somebody else's" } });
  model.receive({ reply: { id: 1, ok: true, message: "Saved as run 24." } });
  assert.equal((await save).message, "Saved as run 24.");
  assert.deepEqual(sent(), ["save", "csv"]);
  model.receive({ reply: { id: 2, ok: false, message: "The disk is full." } });
  assert.equal((await csv).ok, false);
  assert.deepEqual(store.view.notice, { text: "The disk is full.", ok: false });
});

test("a command without a reply ends with advice", async () => {
  const { store, clock } = setup();
  const save = store.command("save");
  clock.advance(60000);
  const reply = await save;
  assert.equal(reply.ok, false);
  assert.match(reply.message, /try again/);
});

test("an overdue answer is told, and forgotten when it comes", () => {
  const { store, clock, answer } = setup();
  store.set({ noise: 0.1 });
  clock.advance(60000);
  assert.equal(store.view.overdue, true);
  answer();
  assert.equal(store.view.overdue, false);
});

test("missing fields have stand-ins", () => {
  const model = new FakeModel({});
  const store = new Store(new Host<PsychometricBenchState>(model));
  assert.equal(store.view.inputs.levels, 21);
  assert.equal(store.view.answer.state, "empty");
  const answer = normalAnswer({ state: "ready", picture: { word: "x" } as never });
  assert.deepEqual(answer.picture?.rows.switch, []);
  assert.deepEqual(answer.picture?.axis, [0, 1]);
});

test("what a record lacks is filled in, in lists and in other records too", () => {
  const point = { x: 0, label: "" };
  const empty = {
    middle: point,
    points: [] as (typeof point)[],
    best: null as typeof point | null,
  };
  const given = { middle: { x: 1 }, points: [{ label: "a" }] } as never;
  assert.deepEqual(filled(given, empty, { points: point, best: point }), {
    middle: { x: 1, label: "" },
    points: [{ x: 0, label: "a" }],
    best: null,
  });
});

test("dispose stops listening", () => {
  const { model, store } = setup();
  assert.ok(model.listening > 0);
  store.dispose();
  assert.equal(model.listening, 0);
});

test("a picture has a row for each replicate under each cue pair", () => {
  const picture = stateOf("three cue pairs").answer.picture!;
  assert.equal(picture.rows.switch.length, 96);
  assert.equal(picture.curve.alpha.length, picture.curve.share.length);
});

const LOADING = { title: "Loading", text: "", actions: [] };
for (const [what, first] of [
  ["a first answer", { state: "empty" as const, message: null }],
  ["that a subject is loaded", { state: "loading" as const, message: LOADING }],
] as const) {
  test(`${what}, lost while the page opened, is asked for, once`, () => {
    const clock = new ManualClock();
    const answer = { ...stateOf("nurse").answer, ...first, generation: 0, picture: null };
    const model = new FakeModel({ ...stateOf("nurse"), generation: 0, answer });
    const store = new Store(new Host<PsychometricBenchState>(model), clock);
    clock.advance(599);
    assert.deepEqual(model.sent, []);
    clock.advance(1);
    assert.deepEqual(model.sent, [{ generation: 1 }]);
    model.receive({ answer: { ...answer, generation: 1 } });
    clock.advance(10_000);
    assert.equal(model.sent.length, 1);
    store.dispose();
  });
}
