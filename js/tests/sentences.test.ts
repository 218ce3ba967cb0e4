import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel, FakePanelModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/sentences.json";
import bench from "../src/benches/sentences";
import type { Inputs } from "../src/benches/sentences/store";
import type { Answer, Scores, SentenceBenchState, Sentences } from "../src/generated/sentences";
import { allById, byId, settle, until } from "./dom";
import {
  asked,
  commandOf,
  type ModelKind,
  press,
  reply,
  type Sent,
  shown,
  text,
  type,
} from "./shown";

const stateOf = recorded<SentenceBenchState>(scenarios);

interface More {
  scenario?: string;
  answer?: Partial<Answer>;
  Kind?: ModelKind;
}

function show(inputs: Partial<Inputs> = {}, { scenario = "tested", answer, Kind }: More = {}) {
  const state = { ...stateOf(scenario), ...inputs };
  return shown(bench, { ...state, answer: { ...state.answer, ...answer } }, Kind);
}

for (const Kind of [FakeModel, FakePanelModel])
  test(`numbers on the screen are those of the answer (${Kind.name})`, async () => {
    const { root, model } = show({}, { Kind });
    await settle();
    const picture = (model.state.answer as Answer).picture!;
    assert.deepEqual(
      allById(root, "score").map((n) => [n.dataset.model, Number(n.dataset.share)]),
      picture.models.map((m) => [m.name, m.overall.share]),
    );
    assert.equal(
      allById(root, "attribute-share").length,
      picture.attributes.flatMap((a) => a.shares.filter((s) => s.share !== null)).length,
    );
    const scores = model.state.scores as Scores;
    const tones = allById(root, "squares-row").map((n) => n.dataset.tones!);
    const strong = scores.models.flatMap((m) =>
      m.log_odds.filter((v) => v !== null && v >= picture.edges[1]),
    );
    assert.ok(strong.length > 0 && picture.failures.length > 0);
    assert.equal(tones.join("").split("C").length - 1, strong.length);
    assert.equal(tones.join("").split("f").length - 1, picture.failures.length);
    assert.equal(text(root, "verdict"), picture.verdict.map((span) => span.text).join(""));
    assert.ok(text(root, "failures").includes(picture.failures[0]!.reason));
  });

test("a closed step says why, and pressing it tells that and goes nowhere", async () => {
  const { root, model } = show({}, { scenario: "no model" });
  const { why } = (model.state.answer as Answer).steps[2]!;
  await settle();
  assert.match(why, /No model is chosen/);
  assert.equal(text(root, "step-note-3"), why);
  byId(root, "step-3")!.click();
  await settle();
  assert.equal(model.state.step, 1);
  assert.equal(text(root, "notice"), why);
  byId(root, "step-2")!.click();
  await settle();
  assert.equal(model.state.step, 2);
});

test("keys lead through the squares; the pair is taken apart, E edits it, and focus comes back", async () => {
  const { root, model } = show();
  await settle();
  const grid = byId(root, "squares")!;
  grid.focus();
  press(grid, "ArrowDown");
  press(grid, "ArrowRight");
  await settle();
  const pair = byId(root, "dock")!.dataset.pair!;
  const { pairs } = model.state.sentences as Sentences;
  assert.equal(pairs.find(({ id }) => id === pair)!.attribute, "geometry");
  await until("Python is asked for the pair", () => model.state.pair === pair);
  const { detail } = stateOf(`word by word: ${pair}`);
  model.receive({ detail });
  await settle();
  const differences = allById(root, "word-difference").map((n) => Number(n.dataset.value));
  assert.deepEqual(
    differences,
    detail.words.map(({ values }) => values[0]![2]),
  );
  assert.equal(Number(byId(root, "here")!.dataset.odds), detail.models[0]!.log_odds);
  assert.deepEqual(
    allById(root, "other").map((n) => n.dataset.model),
    ["causal"],
  );
  press(grid, "e");
  await settle();
  const field = byId(root, "edit-stereotyped") as HTMLTextAreaElement;
  assert.ok(root.activeElement === field);
  type(root, "edit-stereotyped", "Nobody is here.");
  press(field, "Enter");
  const { args } = await asked(model, "edit");
  assert.deepEqual(args, { pair, version: "stereotyped", text: "Nobody is here." });
  reply(model, false, "No group’s term stands in it.");
  await until("the reason", () => text(root, "edit-problem").startsWith("No group"));
  assert.equal((byId(root, "edit-stereotyped") as HTMLTextAreaElement).value, "Nobody is here.");
  press(byId(root, "edit-stereotyped")!, "Escape");
  await settle();
  assert.equal(byId(root, "edit-stereotyped"), null);
  assert.ok(root.activeElement === grid);
  assert.equal(byId(root, "dock")!.dataset.pair, pair, "the edited pair is held");
});

test("filter and search fade squares, and the keys pass over them", async () => {
  const { root, model } = show();
  const { pairs } = model.state.sentences as Sentences;
  const tied = (model.state.scores as Scores).models[0]!.outcomes.indexOf("t");
  await settle();
  (byId(root, "outcome-t") as HTMLInputElement).click();
  await settle();
  const grid = byId(root, "squares")!;
  grid.focus();
  await settle();
  assert.equal(byId(root, "dock")!.dataset.pair, pairs[tied]!.id);
  grid.blur();
  (byId(root, "outcome-all") as HTMLInputElement).click();
  const last = pairs.at(-1)!;
  type(root, "search", last.stereotyped.replaceAll(/\W+/g, " "));
  await settle();
  byId(root, "squares")!.focus();
  await settle();
  assert.equal(byId(root, "dock")!.dataset.pair, last.id);
});

test("scores of other pairs than those on the screen are not drawn at wrong places", async () => {
  const { root, model } = show();
  await settle();
  model.receive({ sentences: stateOf("three rejected").sentences });
  await settle();
  const before = allById(root, "squares-row")[0]!.dataset.tones!;
  assert.equal(before.length, 4, "the last scores stay with their pairs");
});

test("a pair is edited where it stands, rejected by Delete, and comes back by undo", async () => {
  const { root, model } = show({ step: 2 });
  await settle();
  const grid = byId(root, "pairs")!;
  grid.focus();
  await settle();
  press(grid, "ArrowRight");
  await settle();
  press(grid, "Enter");
  await settle();
  const field = byId(root, "edit-against") as HTMLTextAreaElement;
  assert.ok(root.activeElement === field);
  press(field, "Escape");
  await settle();
  assert.ok(root.activeElement === grid);
  press(grid, "Delete");
  const { args } = await asked(model, "reject");
  const pairs = [stateOf("tested").sentences.pairs[0]!.id];
  assert.deepEqual(args, { pairs });
  model.receive({ sentences: stateOf("one rejected").sentences });
  reply(model);
  await until("a way back", () => byId(root, "undo-reject") !== null);
  byId(root, "undo-reject")!.click();
  assert.deepEqual((await asked(model, "restore")).args, { ids: pairs });
});

test("what is rejected stands with its reason, and can be put back", async () => {
  const { root, model } = show({}, { scenario: "one rejected" });
  const [rejected] = (model.state.sentences as Sentences).rejected;
  await settle();
  const details = byId(root, "rejected") as HTMLDetailsElement;
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  await settle();
  assert.ok(text(root, "rejected-row").includes(rejected!.reason));
  byId(root, "put-back")!.click();
  assert.deepEqual((await asked(model, "restore")).args, { ids: [rejected!.id] });
});

test("a key that was typed is sent once and stands nowhere after", async () => {
  const { root, model } = show({ step: 2 });
  await settle();
  byId(root, "write-open")!.click();
  await settle();
  type(root, "write-model", "a-model");
  type(root, "key", "sk-secret");
  await settle();
  assert.equal((byId(root, "key") as HTMLInputElement).type, "password");
  byId(root, "write")!.click();
  const { args } = await asked(model, "write");
  assert.equal(args.key, "sk-secret");
  // As Python does: the command is blanked.
  model.receive({ command: { ...commandOf(model), args: {} } });
  reply(model);
  await settle();
  byId(root, "write-open")!.click();
  await settle();
  assert.equal((byId(root, "key") as HTMLInputElement).value, "");
  assert.equal((byId(root, "write-model") as HTMLInputElement).value, "a-model");
  assert.ok(!JSON.stringify(model.state).includes("sk-secret"));
  assert.ok(!root.innerHTML.includes("sk-secret"));
});

test("Test becomes Stop with what is kept, and a model that failed says why", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "test")!.click();
  await asked(model, "test");
  reply(model);
  const answer = model.state.answer as Answer;
  const picture = answer.picture!;
  const [one, two] = picture.models;
  const failed = { ...two!, state: "failed" as const, message: "It has no mask token." };
  const run = { ...picture.run, number: 2, running: true, done: 7, total: 24, seconds_left: 12 };
  model.receive({ answer: { ...answer, picture: { ...picture, run, models: [one!, failed] } } });
  await settle();
  assert.equal(text(root, "test"), "Stop, keep 7");
  assert.equal(text(root, "run-status"), "7 of 24 scored, about 12 s left");
  assert.equal(byId(root, "test-progress")!.getAttribute("aria-valuenow"), "29");
  assert.match(text(root, "model-message"), /It has no mask token/);
  byId(root, "test")!.click();
  await asked(model, "stop");
});

test("a test that is over before it is seen is no longer starting", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "test")!.click();
  await asked(model, "test");
  await settle();
  assert.equal(text(root, "test"), "Starting…");
  const answer = model.state.answer as Answer;
  const run = { ...answer.picture!.run, number: 2 };
  model.receive({ answer: { ...answer, picture: { ...answer.picture!, run } } });
  reply(model);
  await settle();
  assert.equal(text(root, "test"), "Test again");
});

test("before the first test every square has its place already", async () => {
  const { root } = show({}, { scenario: "untested" });
  await settle();
  assert.equal(text(root, "message-title"), "Nothing has been tested yet");
  assert.equal(text(root, "test"), "Test");
  assert.deepEqual(
    [...new Set(allById(root, "squares-row").map((n) => n.dataset.tones))],
    ["----"],
  );
  assert.ok((byId(root, "save-run") as HTMLButtonElement).disabled);
});

test("start again keeps the lists and lets the held pair go", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "start-again")!.click();
  await asked(model, "start-again");
  model.receive({ step: 1 });
  await until("step 1", () => root.querySelector("[data-step='1']") !== null);
  assert.ok(byId(root, "word-lists"));
  assert.equal((model.state.lists as unknown[]).length, 4);
  byId(root, "step-2")!.click();
  reply(model);
  await settle();
  assert.equal(model.state.step, 2, "the reply takes nobody back who has gone on");
});

test("a model that is added is tested once Python knows of it", async () => {
  const { root, model } = show();
  await settle();
  let known: unknown = null;
  const answer = model.onMessage;
  model.onMessage = (changes) => {
    if ("models" in changes) known = changes.models;
    if ((changes.command as Sent | undefined)?.name === "test") assert.ok(known, "models first");
    answer(changes);
  };
  byId(root, "add-model")!.click();
  await settle();
  byId(root, "add-another")!.click();
  await asked(model, "test");
  assert.deepEqual(known, ["masked", "causal", "another"]);
});

test("where men stand first the colours of the groups change places", async () => {
  const { root } = show();
  await settle();
  assert.equal(byId(root, "bench")!.dataset.colours, "swapped");
  const lists = stateOf("tested").lists.map((list) => ({
    ...list,
    name: list.name === "male" ? "insects" : list.name,
  }));
  const other = show({ lists });
  await settle();
  assert.equal(byId(other.root, "bench")!.dataset.colours, "");
});

test("the page is told of sentences that no link carries", async () => {
  const own: string[] = [];
  document.addEventListener("biaslab:own", (event) => own.push((event as CustomEvent).detail));
  const { sentences } = stateOf("tested");
  const pairs = sentences.pairs.map((pair) => ({ ...pair, source: "starter", edited: false }));
  const made: Sentences = { ...sentences, pairs, rejected: [] };
  const { model } = show();
  const edited = { ...pairs[0]!, edited: true };
  const typed = { ...pairs[0]!, source: "typed" };
  const rejected = { id: "", text: "", attribute: "", code: "rejected", reason: "", source: "" };
  const others: Sentences[] = [
    { ...made, pairs: [edited] },
    { ...made, pairs: [typed] },
    { ...made, rejected: [rejected] },
  ];
  await until("it has none", () => own.length === 1);
  for (const [i, other] of others.entries()) {
    model.receive({ sentences: { ...other, version: 100 + 2 * i } });
    await until("it has some", () => own.length === 2 * i + 2);
    model.receive({ sentences: { ...made, version: 101 + 2 * i } });
    await until("it has none again", () => own.length === 2 * i + 3);
  }
  const said = "Your sentences do not go into a link: save the run";
  assert.deepEqual(own, ["", said, "", said, "", said, ""]);
});
