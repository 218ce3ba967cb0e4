import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel, FakePanelModel } from "../dev/fake-model";
import editor from "../src/benches/word-lists";
import type { TermMark, WordList } from "../src/generated/shared";
import { allById, byId, settle, until } from "./dom";
import { type ModelKind, mounted, press } from "./shown";

function show(terms: string[] | WordList[], marks: TermMark[] = [], Model: ModelKind = FakeModel) {
  const lists =
    typeof terms[0] === "object" ? terms : [{ name: "words", terms: terms as string[] }];
  const answer = { generation: 0, state: "ready", marks };
  const state = { lists, subject: "", subjects: [], fixed: false, generation: 0, answer };
  const command = { id: 0, name: "", args: {} };
  const model = new Model({ ...state, command, reply: { id: 0, ok: true, message: "" } });
  model.onMessage = ({ generation }) => {
    if (generation !== undefined) model.receive({ answer: { ...answer, generation } });
  };
  const { root } = mounted(editor, model);
  const chips = () => allById(root, "chip").map((chip) => chip.textContent);
  const sent = () => (model.state.lists as WordList[]).map((l) => l.terms);
  return { model, root, chips, sent };
}

function type(field: HTMLElement, text: string) {
  (field as HTMLInputElement).value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

for (const Model of [FakeModel, FakePanelModel]) {
  test(`words are typed, removed and brought back (${Model.name})`, async () => {
    const { root, chips, sent } = show(["nurse"], [], Model);
    await settle();
    type(byId(root, "add-word")!, "fire fighter, chef");
    await settle();
    assert.deepEqual(chips(), ["nurse", "fire fighter"], "a comma ends a term");
    assert.equal((byId(root, "add-word") as HTMLInputElement).value, "chef");
    press(byId(root, "add-word")!, "Enter");
    await until("the third is there", () => chips().length === 3);
    press(byId(root, "chips")!, "Backspace");
    await until("the active one is gone", () => chips().length === 2);
    byId(root, "undo")!.click();
    await until("it is back", () => chips().length === 3);
    assert.deepEqual(sent(), [["nurse", "fire fighter", "chef"]]);
  });
}

test("an unknown word is marked, explained, and one click takes a near one", async () => {
  const suggestions = ["electrician", "electric"];
  const reason = "not in the vocabulary";
  const mark: TermMark = {
    list: 0,
    position: 1,
    term: "electrixian",
    kind: "unknown",
    reason,
    suggestions,
  };
  const { root, sent } = show(["nurse", "electrixian"], [mark]);
  await settle();
  const chip = allById(root, "chip")[1]!;
  assert.equal(chip.dataset.kind, "unknown");
  assert.equal(chip.getAttribute("aria-label"), "electrixian, unknown");
  assert.match(byId(root, "help")!.textContent!, /^1 word is not in this vocabulary/);
  byId(root, "chips")!.dispatchEvent(new Event("focusin", { bubbles: true }));
  chip.click();
  await settle();
  assert.match(
    byId(root, "help")!.textContent!,
    /electrixian is not in this vocabulary\. It is left out/,
  );
  allById(root, "word-suggestion")[0]!.click();
  assert.deepEqual(sent(), [["nurse", "electrician"]]);
});

test("suggestions that are missing are asked for once", async () => {
  const mark: TermMark = {
    list: 0,
    position: 0,
    term: "nurze",
    kind: "unknown",
    reason: "not in the vocabulary",
  };
  const { root, model } = show(["nurze"], [mark]);
  await settle();
  byId(root, "chips")!.dispatchEvent(new Event("focusin", { bubbles: true }));
  allById(root, "chip")[0]!.click();
  await until(
    "Python is asked",
    () => (model.state.command as { name: string }).name === "suggest",
  );
  const { id, args } = model.state.command as { id: number; args: object };
  assert.deepEqual(args, { term: "nurze" });
  const content = JSON.stringify({ suggestions: ["nurse"] });
  model.receive({ reply: { id, ok: true, message: "", content } });
  await until(
    "the suggestion is offered",
    () => byId(root, "word-suggestion")?.textContent === "nurse",
  );
});

test("HTML in a word is text, wherever it is shown", async () => {
  const evil = "<img src=x onerror=alert(1)>";
  const mark: TermMark = {
    list: 0,
    position: 0,
    term: evil,
    kind: "unknown",
    reason: evil,
    suggestions: [evil],
  };
  const { root } = show([{ name: evil, terms: [evil] }], [mark]);
  await settle();
  byId(root, "chips")!.dispatchEvent(new Event("focusin", { bubbles: true }));
  allById(root, "chip")[0]!.click();
  await settle();
  assert.equal(root.querySelectorAll("img, script").length, 0);
  assert.equal(byId(root, "word-suggestion")!.textContent, evil);
});

test("two editors on a page keep to themselves", async () => {
  const [one, two] = [show(["nurse"]), show(["chef"])];
  await settle();
  press(byId(one.root, "chips")!, "Delete");
  await settle();
  assert.deepEqual([one.chips(), two.chips()], [[], ["chef"]]);
  const ids = [one, two].flatMap(({ root }) => [...root.querySelectorAll("[id]")].map((n) => n.id));
  assert.equal(new Set(ids).size, ids.length);
});

test("lists that are none are left out on the screen, and the message is shown", async () => {
  const broken = [{ name: "ok", terms: ["a"] }, { name: 3 }, null] as unknown as WordList[];
  const { root, model, chips } = show(broken);
  const message = { title: "These are not word lists", text: "field 'lists[1]' …", actions: [] };
  model.receive({ answer: { generation: 0, state: "error", message } });
  await settle();
  assert.deepEqual(chips(), ["a"]);
  assert.equal(byId(root, "message-title")!.textContent, "These are not word lists");
});
