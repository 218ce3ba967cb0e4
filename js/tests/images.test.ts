import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel, FakePanelModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/images.json";
import bench from "../src/benches/images";
import type { Inputs } from "../src/benches/images/store";
import { Store } from "../src/benches/images/store";
import type { ImageAnswer, ImageBenchState, ImageScores, Images } from "../src/generated/images";
import { Host } from "../src/host";
import { ManualClock } from "./clock";
import { allById, byId, settle, until } from "./dom";
import { asked, commandOf, type ModelKind, press, reply, shown, text, type } from "./shown";

const stateOf = recorded<ImageBenchState>(scenarios);
const PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

interface More {
  scenario?: string;
  answer?: Partial<ImageAnswer>;
  state?: Record<string, unknown>;
  Kind?: ModelKind;
}

function show(inputs: Partial<Inputs> = {}, more: More = {}) {
  const { scenario, answer, state: given, Kind } = more;
  const state = { ...stateOf(scenario), ...inputs, ...given };
  return shown(bench, { ...state, answer: { ...state.answer, ...answer } }, Kind);
}

/** What a picture shows, by its id. */
const altOf = (id: string | undefined) =>
  stateOf().images.images.find((image) => image.id === id)!.alt;

/** The state of so many pictures of each term: the recorded ones, again and again. */
function manyOf(each: number): ImageBenchState {
  const state = stateOf();
  const { images, scores } = state;
  const from = images.terms.flatMap((_, term) => {
    const own = images.images.flatMap((image, i) => (image.term === term ? [i] : []));
    return Array.from({ length: each }, (_, i) => own[i % own.length]!);
  });
  const picture = state.answer.picture!;
  const terms = picture.terms.map((row, t) => ({
    ...row,
    images: Array.from({ length: each }, (_, i) => t * each + i),
  }));
  return {
    ...state,
    images: { ...images, images: from.map((k, i) => ({ ...images.images[k]!, id: `many-${i}` })) },
    scores: {
      ...scores,
      models: scores.models.map(({ model, scores: values, tones }) => ({
        model,
        scores: from.map((k) => values[k]!),
        tones: from.map((k) => tones[k]).join(""),
      })),
    },
    answer: { ...state.answer, picture: { ...picture, terms } },
  };
}

function choose(root: ParentNode, id: string, files: unknown[]) {
  const field = byId(root, id)!;
  Object.defineProperty(field, "files", { value: files, configurable: true });
  field.dispatchEvent(new Event("change", { bubbles: true }));
}
const file = (name: string, bytes: number[]) => new File([new Uint8Array(bytes)], name);

for (const Kind of [FakeModel, FakePanelModel])
  test(`numbers on the screen are those of the answer (${Kind.name})`, async () => {
    const { root, model } = show({}, { scenario: "two models", Kind });
    await settle();
    const picture = (model.state.answer as ImageAnswer).picture!;
    assert.deepEqual(
      allById(root, "score").map(({ dataset: d }) => [d.model, Number(d.score), Number(d.low)]),
      picture.models.map((m) => [m.name, m.overall.score, m.overall.low]),
    );
    assert.deepEqual(
      allById(root, "term-score").map(({ dataset: d }) => [
        d.name,
        Number(d.score),
        Number(d.high),
      ]),
      picture.models.flatMap((_, i) =>
        picture.terms.map((t) => [t.name, t.scores[i]!.score, t.scores[i]!.high]),
      ),
    );
    const scores = model.state.scores as ImageScores;
    const drawn = allById(root, "squares-row").map((n) => n.dataset.tones!);
    const sorted = (tones: string) => [...tones].sort().join("");
    assert.equal(sorted(drawn.join("")), sorted(scores.models.map((m) => m.tones).join("")));
    assert.equal(text(root, "verdict"), picture.verdict.map((span) => span.text).join(""));
    assert.match(text(root, "question"), /“helpers” or “experts”/);
  });

test("keys lead through the squares, and the card shows the picture and what is said of it", async () => {
  const { root, model } = show();
  await settle();
  const grid = byId(root, "squares")!;
  grid.focus();
  press(grid, "ArrowDown");
  await settle();
  const image = byId(root, "card")!.dataset.image!;
  assert.match(altOf(image), /^female scientist/);
  await until("Python is asked for the picture", () => model.state.image === image);
  const images = model.state.images as Images;
  const { detail } = stateOf(`looked at ${altOf(image)}`);
  model.receive({ detail });
  await settle();
  const both = allById(root, "probability").map((n) => [n.dataset.name, Number(n.dataset.value)]);
  assert.deepEqual(both, [
    ["helpers", detail.models[0]!.both![0]],
    ["experts", detail.models[0]!.both![1]],
  ]);
  assert.equal(
    byId(root, "by-template")!.querySelectorAll("li").length,
    detail.models[0]!.by_template.length,
  );
  assert.equal(text(root, "card-alt"), images.images.find((i) => i.id === image)!.alt);
  const shown = byId(root, "card")!.querySelector("img")!;
  assert.equal(shown.getAttribute("src"), detail.picture);
  assert.match(
    byId(root, "square-now")!.getAttribute("aria-label")!,
    /picture \d+ of 20, .*female scientist \d/,
  );
  press(grid, "Enter");
  grid.blur();
  await settle();
  assert.equal(byId(root, "card")!.dataset.image, image, "it is held");
  byId(root, "next-picture")!.click();
  await settle();
  assert.notEqual(byId(root, "card")!.dataset.image, image);
  press(root.querySelector("article")!, "Escape");
  await settle();
  assert.equal(byId(root, "card")!.dataset.image, undefined);
});

test("of men's portraits the list tied to men is with the stereotype", async () => {
  const { root, model } = show();
  await settle();
  const grid = byId(root, "squares")!;
  grid.focus();
  press(grid, "PageDown");
  await settle();
  const image = byId(root, "card")!.dataset.image!;
  assert.match(altOf(image), /^male scientist/);
  const { detail } = stateOf(`looked at ${altOf(image)}`);
  model.receive({ detail });
  await settle();
  assert.deepEqual(
    allById(root, "probability").map((n) => n.dataset.name),
    ["experts", "helpers"],
  );
  assert.ok(root.querySelector(".bar-row.with")!.textContent!.startsWith("experts"));
});

test("a picture that failed says why, and other models answer beside it", async () => {
  const { root, model } = show({}, { scenario: "two models" });
  await settle();
  const grid = allById(root, "squares")[1]!;
  grid.focus();
  await settle();
  for (let i = 0; i < 4; i++) press(grid, "ArrowRight");
  await settle();
  const image = byId(root, "card")!.dataset.image!;
  assert.equal(altOf(image), "female nurse 1", "failed ones stand last");
  model.receive({ detail: stateOf("looked at female nurse 1, two models").detail });
  await settle();
  assert.match(text(root, "card"), /It could not be opened/);
  assert.equal(byId(root, "other")!.dataset.model, "portrait-clip");
});

test("scores of other pictures than those on the screen are not drawn at wrong places", async () => {
  const { root, model } = show();
  await settle();
  model.receive({ images: stateOf("three removed").images });
  await settle();
  assert.equal(allById(root, "squares-row")[0]!.dataset.tones!.length, 5);
});

test("only small pictures that are seen are asked for, once they have stood still", () => {
  const state: Record<string, unknown> = { ...stateOf(), step: 2 };
  const model = new FakeModel(state);
  model.onMessage = (changes) => {
    if ("generation" in changes)
      model.receive({
        answer: { ...(state.answer as ImageAnswer), generation: Number(changes.generation) },
      });
  };
  const clock = new ManualClock();
  const store = new Store(new Host(model), clock);
  const wanted = () => state.wanted as string[];
  const leave = store.want(["a", "b"]);
  clock.advance(30);
  assert.deepEqual(wanted(), []);
  leave();
  store.want(["b", "c"]);
  clock.advance(50);
  assert.deepEqual(wanted(), ["b", "c"], "what has gone by is not asked for");
  const few = { pictures: { b: PIXEL }, missing: { x: "It is gone." } };
  model.receive({ thumbnails: { number: 1, ...few } });
  assert.equal(store.pictures.get("b"), PIXEL);
  assert.equal(store.pictures.get("x"), "");
  store.want(["x", "d"]);
  clock.advance(50);
  assert.deepEqual(wanted(), ["c", "d"], "what is here or gone is not asked for again");
  for (let i = 0; i < 5; i++) {
    store.want(["c"]);
    clock.advance(50);
  }
  const times = model.sent.filter((m) => (m.wanted as string[] | undefined)?.includes("c")).length;
  assert.equal(times, 3, "and what never comes only some times");
  store.want(Array.from({ length: 500 }, (_, i) => `many-${i}`));
  clock.advance(50);
  assert.equal(wanted().length, 200);
  store.dispose();
  assert.equal(model.listening, 0);
});

test("a picture is removed by Delete and comes back by undo; others stay", async () => {
  const { root, model } = show({ step: 2 });
  await settle();
  const list = byId(root, "pictures")!;
  list.focus();
  press(list, "ArrowRight");
  await settle();
  const { image } = model.state as { image: string };
  assert.equal(altOf(image), "female nurse 1");
  press(list, "Delete");
  assert.deepEqual((await asked(model, "remove")).args, { ids: [image] });
  model.receive({ images: stateOf("one removed").images });
  reply(model);
  await until("a way back", () => byId(root, "undo-remove") !== null);
  assert.match(text(root, "picture-place"), /^female nurse, picture 2 of 19/, "the next one");
  byId(root, "undo-remove")!.click();
  assert.deepEqual((await asked(model, "restore")).args, { ids: [image] });
});

test("all pictures of a term are removed by Shift and Delete", async () => {
  const { root, model } = show({ step: 2 });
  await settle();
  const list = byId(root, "pictures")!;
  list.focus();
  press(list, "End");
  await settle();
  press(list, "Delete", { shiftKey: true });
  assert.deepEqual((await asked(model, "remove-term")).args, { term: "male scientist" });
});

test("a description is changed with Enter, and left with Escape", async () => {
  const { root, model } = show({ step: 2 });
  await settle();
  const list = byId(root, "pictures")!;
  list.focus();
  await settle();
  press(list, "Enter");
  assert.equal((root.activeElement as HTMLElement).dataset.testid, "alt-text");
  type(root, "alt-text", "nobody");
  press(byId(root, "alt-text")!, "Escape");
  await settle();
  assert.equal((byId(root, "alt-text") as HTMLTextAreaElement).value, "female nurse 0");
  assert.ok(root.activeElement === list);
  byId(root, "alt-text")!.focus();
  type(root, "alt-text", " a  nurse ");
  press(byId(root, "alt-text")!, "Enter");
  const { args } = await asked(model, "describe");
  assert.deepEqual(args, { id: stateOf().images.images[0]!.id, text: "a nurse" });
});

test("files are uploaded to their term; what is refused is told, and nothing is lost", async () => {
  const { root, model } = show({ step: 2 });
  await settle();
  byId(root, "upload-open")!.click();
  await settle();
  const term = byId(root, "upload-term") as HTMLSelectElement;
  term.value = "male nurse";
  term.dispatchEvent(new Event("change", { bubbles: true }));
  await settle();
  choose(root, "upload", [file("one.png", [1, 2, 3]), file("two.svg", [255])]);
  const { args } = await asked(model, "upload");
  assert.deepEqual(args, {
    term: "male nurse",
    files: [
      { name: "one.png", content: "AQID" },
      { name: "two.svg", content: "/w==" },
    ],
  });
  reply(model, false, "two.svg is a program for drawing.");
  await until("the reason", () => text(root, "notice").includes("program for drawing"));
  assert.equal(allById(root, "picture").length, 20);
});

test("dropped files go to the term that they are dropped on", async () => {
  const { root, model } = show({ step: 2 });
  await settle();
  const drop = (at: Element) => {
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.assign(event, { dataTransfer: { types: ["Files"], files: [file("a.png", [7])] } });
    at.dispatchEvent(event);
  };
  drop(allById(root, "picture")[6]!);
  assert.equal((await asked(model, "upload")).args.term, "female scientist");
  reply(model);
  drop(byId(root, "picture-count")!);
  await settle();
  assert.equal(commandOf(model).id, 1, "beside the pictures nothing is taken");
});

test("a large file goes in pieces, the set comes back as a file once it is packed", async () => {
  const { root, model } = show({ step: 2 });
  await settle();
  choose(root, "import", [new File([new Uint8Array(1_000_001)], "set.zip")]);
  const first = await asked(model, "upload-part");
  assert.equal(first.args.part, 0);
  reply(model);
  await until("the second piece", () => commandOf(model).args.part === 1);
  assert.equal(commandOf(model).args.parcel, first.args.parcel);
  reply(model);
  const { args } = await asked(model, "import-dataset");
  assert.deepEqual(args, { name: "set.zip", parcel: first.args.parcel });
  reply(model);
  byId(root, "export-pictures")!.click();
  await settle();
  byId(root, "dataset")!.click();
  const before = (await asked(model, "dataset")).id;
  reply(model, true, "It is being packed.");
  await settle();
  model.receive({ making: { done: 1, total: 20, message: "packing", seconds_left: 1 } });
  await settle();
  assert.equal(commandOf(model).id, before);
  assert.match(text(root, "making"), /packing: 1 of 20/);
  model.receive({ making: { done: 0, total: 0, message: "It is packed.", seconds_left: null } });
  await until("the file is asked for again", () => commandOf(model).id > before);
});

test("a key that was typed is sent once and stands nowhere after", async () => {
  const { root, model } = show({ step: 2 });
  await settle();
  byId(root, "make-open")!.click();
  await settle();
  type(root, "make-model", "a-model");
  type(root, "key", "sk-secret");
  await settle();
  assert.equal((byId(root, "key") as HTMLInputElement).type, "password");
  byId(root, "make")!.click();
  const { args } = await asked(model, "generate");
  assert.equal(args.key, "sk-secret");
  assert.equal(args.per_term, 4);
  // As Python does: the command is blanked.
  model.receive({ command: { ...commandOf(model), args: {} } });
  reply(model);
  await settle();
  byId(root, "make-open")!.click();
  await settle();
  assert.equal((byId(root, "key") as HTMLInputElement).value, "");
  assert.equal((byId(root, "make-model") as HTMLInputElement).value, "a-model");
  assert.ok(!JSON.stringify(model.state).includes("sk-secret"));
  assert.ok(!root.innerHTML.includes("sk-secret"));
});

test("a folder is asked for only where folders can be read", async () => {
  const { root } = show({ step: 2 });
  await settle();
  assert.equal(byId(root, "folder-open"), null);
  const second = show({ step: 2 }, { state: { folders: true } });
  await settle();
  byId(second.root, "folder-open")!.click();
  await settle();
  type(second.root, "folder", " /pictures ");
  await settle();
  byId(second.root, "folder-open-card")!
    .querySelector("form")!
    .dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  assert.deepEqual((await asked(second.model, "folder")).args, { path: "/pictures" });
  reply(second.model, false, "There is no such folder.");
  await until("the reason", () => text(second.root, "folder-open-card").includes("no such folder"));
  byId(second.root, "folder-open-card")!
    .querySelector("form")!
    .dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  await until("it is asked again", () => commandOf(second.model).id === 2);
  const making = { done: 0, total: 1, message: "reading pictures", seconds_left: null };
  second.model.receive({ making });
  reply(second.model, true, "pictures is being read.");
  await until("it has begun", () => text(second.root, "notice").includes("is being read"));
  second.model.receive({ making: { ...making, total: 0, message: "7 pictures added." } });
  await until("the end", () => text(second.root, "notice") === "7 pictures added.");
});

test("captions are chosen and added; one without a place for the concept is refused", async () => {
  const { root, model } = show({ step: 1 });
  await settle();
  assert.equal(byId(root, "questions"), null, "its model takes captions");
  (allById(root, "caption")[1] as HTMLInputElement).click();
  await until("it is chosen", () => (model.state.captions as string[]).length === 1);
  type(root, "add-caption", "a face");
  press(byId(root, "add-caption")!, "Enter");
  await settle();
  assert.match(text(root, "captions"), /Write \{concept\} where/);
  type(root, "add-caption", "the face of a {concept}");
  press(byId(root, "add-caption")!, "Enter");
  await until("it is there", () => (model.state.captions as string[]).length === 2);
  assert.deepEqual(model.state.captions, ["this person is a {concept}", "the face of a {concept}"]);
});

test("the blend moves at once, and only the newest goes to Python", async () => {
  const { root, model } = show({ alpha: 0.4 });
  model.onMessage = () => {};
  await settle();
  const handle = byId(root, "alpha-handle")!;
  handle.focus();
  for (let i = 0; i < 5; i++) press(handle, "ArrowRight");
  await settle();
  assert.equal(Number(handle.dataset.value), 0.45);
  assert.equal(text(root, "alpha-value"), "α = 45 %");
  assert.match(handle.getAttribute("aria-valuetext")!, /^45 % man: answers man with \d+ %$/);
  assert.deepEqual(
    model.sent.map((m) => m.alpha),
    [0.41],
    "one message is under way",
  );
  const { generation } = model.sent[0] as { generation: number };
  model.receive({
    answer: { ...(model.state.answer as ImageAnswer), generation },
    morph_at: stateOf("alpha 0.41").morph_at,
  });
  await settle();
  assert.equal(model.sent.at(-1)!.alpha, 0.45);
  const at = stateOf("alpha 0.45").morph_at;
  model.receive({ morph_at: at });
  await settle();
  assert.equal(Number(byId(root, "morph-at")!.dataset.answer), at.answer);
  assert.deepEqual(
    allById(root, "morph-probability").map((n) => Number(n.dataset.value)),
    [1 - at.answer!, at.answer],
  );
  press(handle, "p");
  await settle();
  assert.equal(handle.dataset.value, stateOf().morph.picture!.pse.toFixed(4));
});

test("up and down step through the occupations; the strip moves the blend", async () => {
  const { root, model } = show();
  await settle();
  press(byId(root, "alpha-handle")!, "ArrowDown");
  await until("the next one", () => model.state.morph_item === "scientist");
  const { morph } = stateOf("scientist");
  model.receive({ morph });
  await settle();
  assert.equal(byId(root, "morph")!.dataset.item, "scientist");
  assert.equal(Number(byId(root, "pse")!.dataset.value), morph.picture!.pse);
  assert.equal(byId(root, "morph-at")!.dataset.alpha, undefined, "another one’s portrait is gone");
  allById(root, "strip")[4]!.click();
  await until("the blend", () => model.state.alpha === 0.8);
});

test("the morphs are asked about, with progress and a way to stop; an error is told", async () => {
  const { root, model } = show({}, { state: { morph: stateOf("untested").morph } });
  await settle();
  assert.equal(byId(root, "curve"), null);
  byId(root, "morph-ask")!.click();
  await asked(model, "morph");
  reply(model);
  const morph = { ...stateOf().morph, picture: null };
  model.receive({ morph: { ...morph, state: "asking", done: 3, total: 30 } });
  await settle();
  assert.equal(text(root, "morph-status"), "3 of 30 portraits");
  byId(root, "morph-stop")!.click();
  await asked(model, "morph-stop");
  model.receive({ morph: { ...morph, state: "error", message: "No cook can be drawn." } });
  await settle();
  assert.match(text(root, "morph-verdict"), /No cook can be drawn/);
});

test("a curve without a PSE, and one beyond the axis, say so", async () => {
  const { root, model } = show();
  await settle();
  const { morph } = stateOf();
  const picture = { ...morph.picture!, pse_at: "none" as const, interval: null };
  model.receive({ morph: { ...morph, picture } });
  await settle();
  assert.equal(text(root, "pse"), "no PSE");
  assert.equal(byId(root, "pse-interval"), null);
  const beyond = { ...picture, pse: 1.4, pse_at: "beyond" as const, interval: [0.9, null] };
  model.receive({ morph: { ...morph, picture: beyond } });
  await settle();
  assert.match(text(root, "pse"), /beyond this axis/);
  assert.match(text(root, "pse-interval"), /open over resampled portraits/);
});

test("Test becomes Stop with what is kept, and a model that failed says why", async () => {
  const { root, model } = show({}, { scenario: "two models" });
  await settle();
  byId(root, "test")!.click();
  await asked(model, "test");
  reply(model);
  const answer = model.state.answer as ImageAnswer;
  const picture = answer.picture!;
  const [one, two] = picture.models;
  const failed = { ...two!, state: "failed" as const, message: "It cannot be opened." };
  const run = { ...picture.run, number: 2, running: true, done: 7, total: 40, seconds_left: 12 };
  model.receive({ answer: { ...answer, picture: { ...picture, run, models: [one!, failed] } } });
  await settle();
  assert.equal(text(root, "test"), "Stop, keep 7");
  assert.equal(text(root, "run-status"), "7 of 40 scored, about 12 s left");
  assert.match(text(root, "model-message"), /It cannot be opened/);
  assert.ok((byId(root, "save-run") as HTMLButtonElement).disabled);
  byId(root, "test")!.click();
  await asked(model, "stop");
});

test("before the first test every square has its place already", async () => {
  const { root } = show({}, { scenario: "untested" });
  await settle();
  assert.equal(text(root, "message-title"), "Nothing has been tested yet");
  assert.deepEqual(
    [...new Set(allById(root, "squares-row").map((n) => n.dataset.tones))],
    ["-----"],
  );
});

test("two thousand pictures are few elements", async () => {
  const state = { ...manyOf(500) };
  const { root } = show({}, { state: { ...state, step: 2 } });
  await settle();
  assert.ok(allById(root, "picture").length < 400);
  const tested = show({}, { state });
  await settle();
  assert.ok(tested.root.querySelectorAll("path").length < 80);
  assert.equal(allById(tested.root, "squares-row").length, 4);
});

test("start again keeps the lists and lets the held picture go", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "start-again")!.click();
  await asked(model, "start-again");
  model.receive({ step: 1 });
  await until("step 1", () => root.querySelector("[data-step='1']") !== null);
  assert.equal((model.state.lists as unknown[]).length, 4);
  byId(root, "step-2")!.click();
  reply(model);
  await settle();
  assert.equal(model.state.step, 2, "the reply takes nobody back who has gone on");
});

test("the page is told of pictures that no link carries", async () => {
  const own: string[] = [];
  document.addEventListener("biaslab:own", (event) => own.push((event as CustomEvent).detail));
  const { images } = stateOf();
  const { model } = show({}, { state: { images: { ...images, sources: ["drawn"] } } });
  await until("it has none", () => own.length === 1);
  model.receive({ images });
  await until("it has some", () => own.length === 2);
  assert.equal(own[0], "");
  assert.match(own[1]!, /^Your pictures do not go into a link/);
});
