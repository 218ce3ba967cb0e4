import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel, FakePanelModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/posterior.json";
import bench from "../src/benches/posterior";
import type { Inputs } from "../src/benches/posterior/store";
import type { Answer, Picture, PosteriorBenchState, RunState } from "../src/generated/posterior";
import { allById, byId, settle, until } from "./dom";
import { commandOf, exportedSvg, type ModelKind, press, shown, text } from "./shown";

const stateOf = recorded<PosteriorBenchState>(scenarios);
const pictureOf = (scenario?: string) => stateOf(scenario).answer.picture!;

interface More {
  scenario?: string;
  answer?: Partial<Answer>;
  Kind?: ModelKind;
}

/** A bench in a recorded state, unanswered; `tell` gives it what Python told in another scenario. */
function show(inputs: Partial<Inputs> = {}, { scenario, answer, Kind }: More = {}) {
  const state = { ...stateOf(scenario), ...inputs };
  const view = shown(bench, { ...state, answer: { ...state.answer, ...answer } }, Kind);
  view.model.onMessage = () => {};
  const tell = (next = "done", run: Partial<RunState> = {}, changed: Partial<Picture> = {}) => {
    const { answer: told, traces, clouds } = stateOf(next);
    const of = told.picture!;
    const { generation } = view.model.state;
    view.model.receive({
      answer: { ...told, generation, picture: { ...of, ...changed, run: { ...of.run, ...run } } },
      traces,
      clouds,
    });
  };
  return { ...view, tell };
}

function fire(root: ParentNode, id: string, value: string, event: "change" | "input" = "change") {
  const field = byId(root, id) as HTMLInputElement;
  field.value = value;
  field.dispatchEvent(new Event(event, { bubbles: true }));
}
function pick(root: ParentNode, id: string) {
  const radio = byId(root, id) as HTMLInputElement;
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
}

for (const Kind of [FakeModel, FakePanelModel]) {
  test(`numbers on the screen are those of the answer (${Kind.name})`, async () => {
    const { root, model } = show({}, { Kind });
    await settle();
    const picture = (model.state.answer as Answer).picture!;
    const traces = allById(root, "trace");
    assert.deepEqual(
      traces.map((t) => t.dataset.name),
      picture.quantities.map((q) => q.name),
    );
    traces.forEach((node, i) => {
      const q = picture.quantities[i]!;
      assert.equal(Number(byId(node, "rhat")!.dataset.value), q.rhat);
      assert.equal(Number(byId(node, "ess-bulk")!.dataset.value), q.ess_bulk);
      assert.equal(Number(byId(node, "ess-tail")!.dataset.value), q.ess_tail);
      assert.equal(Number(byId(node, "mcse")!.dataset.value), q.mcse);
      assert.equal(allById(node, "chain").length, 4);
    });
    const { closest, farthest } = picture.words!;
    assert.deepEqual(
      allById(root, "word-mark").map((n) => [n.dataset.word, Number(n.dataset.distance)]),
      [...closest, ...farthest].map((row) => [row.word, row.distance]),
    );
    assert.deepEqual(
      allById(root, "group").map((n) => [n.dataset.name, Number(n.dataset.mean)]),
      picture.groups!.rows.map((group) => [group.name, group.mean]),
    );
    assert.deepEqual(
      allById(root, "correlation").map((n) => [n.dataset.label, Number(n.dataset.value)]),
      picture.correlations.map((c) => [c.label, c.pearson]),
    );
    assert.equal(byId(root, "trust")!.dataset.trust, "yes");
    assert.match(picture.plane!.warning, /^At a right angle to the mean difference/);
    assert.ok(text(root, "plane-warning").startsWith(picture.plane!.warning));
  });
}

test("before the first run: what will be asked, one button, and every axis in its place", async () => {
  const { root } = show({}, { scenario: "empty" });
  await settle();
  assert.match(text(root, "message-text"), /6 chains draw 100 stimuli s each/);
  assert.equal(text(root, "run"), "Run");
  assert.equal(allById(root, "message-action").length, 0);
  assert.equal(allById(root, "trace").length, 3);
  assert.equal(text(root, "neutral"), "orthogonal 0.5");
  assert.ok((byId(root, "save-run") as HTMLButtonElement).disabled);
});

test("the message's own Run button is not shown beside the large one; others are", async () => {
  const message = {
    title: "Nothing yet",
    text: "Press Run.",
    actions: [
      { label: "Run", command: "run" },
      { label: "Use the observer", set: { subject: "observer" } },
    ],
  };
  const { root } = show({}, { scenario: "empty", answer: { message } });
  await settle();
  assert.deepEqual(
    allById(root, "message-action").map((b) => b.textContent),
    ["Use the observer"],
  );
});

test("a run is started, drawn as it comes, and stopped; the draws so far stay", async () => {
  const { root, model, tell } = show({}, { scenario: "empty" });
  await settle();
  byId(root, "run")!.click();
  await settle();
  assert.equal(commandOf(model).name, "run");
  assert.equal(text(root, "run"), "Starting…");
  tell("warm-up");
  await settle();
  assert.equal(text(root, "run"), "Stop, keep draws");
  assert.equal(byId(root, "run-progress")!.getAttribute("aria-valuenow"), "10");
  assert.match(text(root, "run-status"), /10 % warm-up/);
  tell("sampling");
  await settle();
  const drawn = allById(root, "chain")[0]!.getAttribute("d")!;
  model.receive({ reply: { id: 1, ok: true, message: "" } });
  byId(root, "run")!.click();
  await settle();
  assert.equal(commandOf(model).name, "stop");
  assert.equal(text(root, "run"), "Stopping…");
  model.receive({ reply: { id: 2, ok: true, message: "Stopping." } });
  await settle();
  assert.equal(text(root, "run"), "Stopping…", "until the run has ended");
  tell("stopped");
  await settle();
  assert.equal(text(root, "run"), "Run again");
  assert.match(text(root, "run-status"), /stopped early, 14 draws a chain kept/);
  assert.notEqual(allById(root, "chain")[0]!.getAttribute("d"), drawn, "they fill the room");
});

test("a run that cannot begin says why, and can be tried again", async () => {
  const { root, model } = show({}, { scenario: "empty" });
  await settle();
  byId(root, "run")!.click();
  await settle();
  model.receive({ reply: { id: 1, ok: false, message: "Choose a classifier first." } });
  await settle();
  assert.equal(text(root, "notice"), "Choose a classifier first.");
  assert.equal(text(root, "run"), "Run");
});

test("a screen reader hears the beginning, each quarter and the end", async () => {
  const { root, tell } = show({}, { scenario: "empty" });
  await settle();
  assert.equal(pictureOf("sampling").run.total, 280);
  const hears = async (steps: number | null, expected: RegExp) => {
    if (steps === null) tell("done");
    else tell("sampling", { done: steps });
    await until(`${steps} steps: ${expected}`, () => expected.test(text(root, "run-live")));
  };
  await hears(5, /^Run 1 has begun: For “positive”/);
  await hears(69, /^Run 1 has begun/);
  await hears(71, /^25 % of the draws\.$/);
  await hears(93, /^25 %/);
  await hears(145, /^50 %/);
  await hears(215, /^75 %/);
  await hears(null, /^The run has ended, done: 600 draws\.$/);
});

test("the prior's width is set when the handle is let go, not on the way", async () => {
  const { root, model } = show();
  await settle();
  const slider = byId(root, "width") as HTMLInputElement;
  assert.deepEqual([slider.min, slider.max, slider.value], ["-2", "2", "0"]);
  fire(root, "width", "0.5", "input");
  await settle();
  assert.equal(model.state.prior_width, 1);
  assert.equal(slider.getAttribute("aria-valuetext"), "1.41 times its standard deviations");
  fire(root, "width", "1");
  await settle();
  assert.equal(model.state.prior_width, 2);
});

test("a rest of the hand sets the width, too", async () => {
  const { root, model } = show();
  await settle();
  fire(root, "width", "-1", "input");
  await until("the width is set", () => model.state.prior_width === 0.5);
});

test("arrow keys set the width once, when it rests", async () => {
  const { root, model } = show();
  await settle();
  const slider = byId(root, "width")!;
  for (const value of ["0.05", "0.1", "0.15"]) {
    press(slider, "ArrowRight");
    fire(root, "width", value, "input");
    fire(root, "width", value);
  }
  await settle();
  assert.equal(slider.getAttribute("aria-valuetext"), "1.11 times its standard deviations");
  assert.equal(model.state.prior_width, 1);
  await until("the width is set", () => model.state.prior_width === 1.11);
  assert.deepEqual(
    model.sent.map((message) => message.prior_width).filter(Boolean),
    [1.11],
    "one run begins",
  );
});

test("a label keeps its colour and shape whichever is asked about", async () => {
  const { root, model, tell } = show();
  await settle();
  const colour = () =>
    Object.fromEntries(
      allById(root, "correlation").map((n) => [n.dataset.label, n.querySelector(".mark")!.tagName]),
    );
  const before = colour();
  pick(root, "label-negative");
  await settle();
  assert.equal(model.state.label, "negative");
  tell("negative");
  await settle();
  assert.match(text(root, "question"), /“negative”/);
  assert.deepEqual(colour(), before);
});

test("a word is picked by click, by key and by search, and let go", async () => {
  const { root, model, tell } = show();
  await settle();
  const words = { ...pictureOf().words!, total: 6789 };
  const second = words.closest[1]!;
  tell("done", {}, { words });
  await settle();
  const list = byId(root, "words")!;
  list.focus();
  press(list, "ArrowDown");
  press(list, "ArrowDown");
  await settle();
  const half = (second.high - second.low) / 2;
  const measured = `distance ${second.distance.toFixed(4)} ± ${half.toFixed(4)}`;
  assert.ok(text(root, "word-card").startsWith(`${second.word}${measured}rank 2 of 6,789`));
  press(list, "Enter");
  assert.equal(model.state.word, second.word);
  tell("done", {}, { words: { ...words, picked: second } });
  await settle();
  const rows = () =>
    allById(root, "word-row").filter((r) => r.getAttribute("aria-selected") === "true");
  assert.deepEqual(
    rows().map((r) => r.dataset.word),
    [second.word],
  );
  assert.ok(byId(root, "picked-ring"), "it is ringed in the plane");
  list.blur();
  press(list, "Escape");
  await settle();
  assert.equal(model.state.word, "");
  tell();
  await settle();
  const field = byId(root, "word")! as HTMLInputElement;
  field.value = "zebra";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await until("the word is set", () => model.state.word === "zebra");
  tell("zebra");
  await settle();
  assert.equal(text(root, "word-rank"), String(pictureOf("zebra").words!.picked!.rank));
  assert.ok(allById(root, "word-row").some((r) => r.dataset.word === "zebra"));
});

test("a word that is not known is marked where it stands", async () => {
  const unknown = {
    term: "qwx",
    role: "word",
    reason: "not in the vocabulary",
    suggestions: ["quiz"],
  };
  const { root, model } = show({ word: "qwx" }, { answer: { unknown } });
  await settle();
  assert.equal(text(root, "word-problem"), "not in the vocabulary");
  const field = byId(root, "word")!;
  field.focus();
  field.dispatchEvent(new Event("focusin", { bubbles: true }));
  await settle();
  byId(root, "suggestion")!.click();
  await settle();
  assert.equal(model.state.word, "quiz");
});

test("the table is sorted by the column that is pressed, and says so", async () => {
  const { root, model } = show();
  await settle();
  pick(root, "listed-table");
  await settle();
  const words = () =>
    [...root.querySelectorAll<HTMLElement>("tbody [data-row]")].map((r) => r.dataset.row);
  const sorted = () => root.querySelectorAll('[aria-sort="ascending"], [aria-sort="descending"]');
  const { closest, farthest } = pictureOf().words!;
  assert.equal(words()[0], closest[0]!.word);
  byId(root, "word-table-distance")!.click();
  byId(root, "word-table-distance")!.click();
  await settle();
  assert.equal(words()[0], farthest[0]!.word);
  assert.equal(sorted().length, 1);
  assert.equal(sorted()[0]!.getAttribute("aria-sort"), "descending");
  root.querySelector<HTMLElement>("tbody .pick")!.click();
  await settle();
  assert.equal(model.state.word, farthest[0]!.word);
});

test("all chains are rows of colour; keys move over chains and blocks, and every trace follows", async () => {
  const { root } = show();
  await settle();
  pick(root, "traced-all");
  await settle();
  assert.equal(allById(root, "chain").length, 0);
  assert.equal(root.querySelectorAll("canvas.heat").length, 6);
  const plot = allById(root, "trace-plot")[0]!;
  plot.focus();
  press(plot, "ArrowDown");
  press(plot, "ArrowDown");
  press(plot, "ArrowDown");
  press(plot, "ArrowRight");
  await settle();
  assert.match(text(root, "trace-readout"), /^chain 3, block 2 of 60: logit of p/);
  assert.equal(plot.getAttribute("aria-valuetext"), text(root, "trace-readout"));
  assert.equal(allById(root, "marked").length, 3, "the same chain in every trace");
});

test("dimensions are chosen; one that is not there is refused", async () => {
  const { root, model } = show();
  await settle();
  fire(root, "dimensions", "3, 7");
  await settle();
  assert.deepEqual(model.state.shown_dimensions, [3, 7]);
  fire(root, "dimensions", String(pictureOf().dimensions));
  await settle();
  assert.deepEqual(model.state.shown_dimensions, [3, 7], "nothing changes");
  assert.equal(byId(root, "dimensions")!.getAttribute("aria-invalid"), "true");
});

test("engine, chains, draws and seed are in a card", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "engine")!.click();
  await settle();
  fire(root, "chains", "1");
  await settle();
  assert.equal(model.state.chains, 6, "one chain has no R-hat");
  fire(root, "chains", "32");
  fire(root, "engine-select", "exact");
  await settle();
  assert.deepEqual(
    [model.state.chains, model.state.engine],
    [32, "vectorised"],
    "one message at a time",
  );
});

test("draws that cannot be trusted: why, before what they say", async () => {
  const { root } = show({}, { scenario: "stopped" });
  await settle();
  const because = pictureOf("stopped")
    .verdict.map((span) => span.text)
    .join("");
  assert.match(because, /^Because chains still disagree about .* \(R-hat \d\.\d{3}; .*; the draws/);
  assert.equal(byId(root, "trust")!.dataset.trust, "not-yet");
  assert.equal(text(root, "verdict"), `Do not trust yet${because}`);
  assert.ok(root.querySelector(".figure.bad"));
});

test("settings that have changed since are told, and the picture stays in grey", async () => {
  const { root, model } = show();
  const answer = model.state.answer as Answer;
  const run = { ...answer.picture!.run, stale: true };
  model.receive({ answer: { ...answer, picture: { ...answer.picture!, run } } });
  await settle();
  assert.match(text(root, "stale"), /changed since this run/);
  assert.ok(root.querySelector(".traces.stale"));
  assert.equal(allById(root, "word-mark").length, 12);
  byId(root, "stale")!.querySelector("button")!.click();
  await settle();
  assert.equal(commandOf(model).name, "run");
});

test("why a run with draws failed is told, and its picture and verdict stay", async () => {
  const message = {
    title: "The run failed half way",
    text: "The classifier answers NaN. 57 draws per chain are kept.",
    actions: [{ label: "Run again", command: "run" }],
  };
  const { root, model } = show({}, { answer: { state: "ready", message } });
  await settle();
  assert.match(text(root, "failure"), /failed half way\. The classifier answers NaN/);
  assert.equal(byId(root, "failure")!.getAttribute("role"), "alert");
  assert.ok(!text(root, "caveat").includes("NaN"));
  assert.notEqual(text(root, "verdict"), "");
  assert.ok(!root.querySelector(".traces.stale"));
  byId(root, "failure")!.querySelector("button")!.click();
  await settle();
  assert.equal(commandOf(model).name, "run");
});

test("errors keep the last picture, in grey, and all input", async () => {
  const message = {
    title: "NaN",
    text: "The classifier answers NaN.",
    actions: [{ label: "Run again", command: "run" }],
  };
  const { root } = show({ seed: 4 }, { answer: { state: "error", message } });
  await settle();
  assert.equal(text(root, "message-title"), "NaN");
  assert.equal(allById(root, "word-mark").length, 12);
  assert.ok(root.querySelector(".words-view.stale"));
  assert.equal(text(root, "message-action"), "Run again");
});

test("tables are chosen from a menu, and Python is told which", async () => {
  const { root, model } = show();
  await settle();
  for (const what of ["words", "diagnostics", "groups", "draws"]) {
    byId(root, "export-csv")!.click();
    await settle();
    byId(root, `csv-${what}`)!.click();
    await settle();
    const command = commandOf(model) as { id: number; name: string; args: object } & { id: number };
    assert.deepEqual([command.name, command.args], ["csv", { what }]);
    model.receive({ reply: { id: command.id, ok: false, message: "" } });
    await settle();
  }
});

test("in the plane that is taken along every mark has a name, and what has none is told", async () => {
  const { answer } = stateOf();
  const plane = answer.picture!.plane!;
  const words = ["one", "two", "three", "four", "five", "six"].map((word) => ({
    ...plane.words[0]!,
    word,
    x: 90,
    y: 90,
  }));
  const picture = { ...answer.picture!, plane: { ...plane, words } };
  const { root } = show({ answer: { ...answer, picture } } as never);
  await settle();
  const [, svg] = await exportedSvg(root);
  const marks = svg.match(/M5\.5 0L-3\.5 -4V4Z/g) ?? [];
  const left = words.filter(({ word }) => new RegExp(`no room for [^<]*${word}`).test(svg));
  assert.ok(marks.length > 0 && left.length > 0);
  assert.equal(marks.length + left.length, words.length);
});

test("what is taken along holds chains, plane, words, groups and correlations", async () => {
  const { root } = show();
  await settle();
  const [name, svg] = await exportedSvg(root);
  assert.equal(name, "posterior-logistic-observer-positive.svg");
  for (const part of [
    "Chains",
    pictureOf().words!.closest[0]!.word,
    "female, 3",
    "orthogonal 0.5",
    "unrelated 0",
    "What does the classifier imagine",
  ])
    assert.ok(svg.includes(part), part);
  assert.ok((svg.match(/h0/g) ?? []).length >= 90, "few draws are marks that can be edited");
});

test("HTML in words, groups and reviews is text", async () => {
  const evil = "<img src=x onerror=alert(1)>";
  const [first, second] = stateOf().lists;
  const lists = [{ ...first!, terms: [...first!.terms, evil] }, second!];
  const { root, model } = show({ word: evil, lists });
  const answer = model.state.answer as Answer;
  const words = answer.picture!.words!;
  const row = { ...words.closest[0]!, word: evil };
  const reviews = [{ text: `${evil} ${"so good ".repeat(60)}`, label: "positive", distance: 0.1 }];
  model.receive({
    answer: {
      ...answer,
      picture: { ...answer.picture!, reviews, words: { ...words, closest: [row], picked: row } },
    },
  });
  await settle();
  byId(root, "edit-groups")!.click();
  await settle();
  assert.equal(root.querySelectorAll("img, script").length, 0);
  assert.match(text(root, "review"), /<img/);
  assert.match(text(root, "word-card"), /<img/);
});

test("groups are edited in a card", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "edit-groups")!.click();
  await settle();
  const field = allById(root, "add-word")[0] as HTMLInputElement;
  field.value = "ruth";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await settle();
  press(field, "Enter");
  await settle();
  const lists = model.state.lists as Inputs["lists"];
  assert.ok(lists[0]!.terms.includes("ruth"));
  assert.equal(lists.length, 2);
});
