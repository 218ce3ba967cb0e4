import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel, FakePanelModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/psychometric.json";
import bench from "../src/benches/psychometric";
import type { PsychometricBenchState } from "../src/generated/psychometric";
import type { TermMark } from "../src/generated/shared";
import { allById, byId, settle, until } from "./dom";
import { type ModelKind, mounted, press } from "./shown";

const stateOf = recorded<PsychometricBenchState>(scenarios);

/** A psychometric bench with these words, and a Python that answers. */
function show(words: string[], marks: TermMark[] = [], Model: ModelKind = FakeModel) {
  const state = { ...stateOf("nurse"), words, word: words[0] ?? "", marks };
  const model = new Model({ ...state });
  model.onMessage = ({ generation }) => {
    if (typeof generation === "number")
      model.receive({ answer: { ...stateOf("nurse").answer, generation } });
  };
  const { root } = mounted(bench, model);
  const chips = () => allById(root, "chip").map((chip) => chip.textContent);
  return { model, root, chips };
}

async function add(root: ParentNode, word: string): Promise<void> {
  const field = byId(root, "add-word") as HTMLInputElement;
  field.value = word;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await settle();
  press(field, "Enter");
}

async function toggle(root: ParentNode): Promise<void> {
  byId(root, "edit-words")!.click();
  await settle();
}

const card = (root: ParentNode) => byId(root, "edit-words-card");

for (const Model of [FakeModel, FakePanelModel]) {
  test(`a word added in the card is stepped to with the down key (${Model.name})`, async () => {
    const { root, model, chips } = show(["nurse", "chef"], [], Model);
    await settle();
    assert.equal(card(root), null);
    await toggle(root);
    assert.deepEqual(chips(), ["nurse", "chef"]);
    await add(root, "teacher");
    await until("it is in the list", () => chips().length === 3);
    assert.deepEqual(model.state.words, ["nurse", "chef", "teacher"]);
    press(byId(root, "add-word")!, "Escape");
    await until("Esc closes the card", () => card(root) === null);
    const field = byId(root, "word-input") as HTMLInputElement;
    press(field, "ArrowDown");
    press(field, "ArrowDown");
    await until("it is asked about", () => field.value === "teacher");
    assert.equal(model.state.word, "teacher");
  });
}

test("the card takes the focus where one types, and gives it back", async () => {
  const { root } = show(["nurse"]);
  await settle();
  await toggle(root);
  const focused = () => (root as unknown as ShadowRoot).activeElement;
  await until("the field has it", () => focused() === byId(root, "add-word"));
  press(byId(root, "add-word")!, "Escape");
  await settle();
  assert.equal(focused(), byId(root, "edit-words"));
});

test("what was done in the card can be undone when it is opened again", async () => {
  const { root, model, chips } = show(["nurse", "chef"]);
  await settle();
  await toggle(root);
  await add(root, "poet");
  await until("it is in the list", () => chips().length === 3);
  await toggle(root);
  assert.equal(card(root), null);
  model.receive({ words: ["queen"] });
  await settle();
  await toggle(root);
  assert.deepEqual(chips(), ["queen"]);
  const undo = byId(root, "undo") as HTMLButtonElement;
  undo.click();
  await until("Python's change is undone", () => chips().length === 3);
  undo.click();
  await until("the word is out again", () => chips().length === 2);
  assert.deepEqual(model.state.words, ["nurse", "chef"]);
  assert.equal(undo.disabled, true);
});

test("unknown words are marked where they stand when the marks arrive", async () => {
  const { root, model } = show(["nurse", "nurze"]);
  await settle();
  await toggle(root);
  const kinds = () => allById(root, "chip").map((chip) => chip.dataset.kind);
  assert.deepEqual(kinds(), [undefined, undefined]);
  const reason = "not in the vocabulary";
  const mark = { list: 0, position: 1, term: "nurze", kind: "unknown", reason } as const;
  model.receive({ marks: [{ ...mark, suggestions: ["nurse"] }] });
  await until("it is marked", () => kinds()[1] === "unknown");
  assert.equal(kinds()[0], undefined);
  assert.equal(byId(root, "count-unknown")!.textContent, "1 unknown");
  assert.match(byId(root, "help")!.textContent!, /It stays, and cannot be asked about/);
});

test("the words of two psychometric benches are their own", async () => {
  const first = show(["nurse"]);
  const second = show(["chef"]);
  await settle();
  await toggle(first.root);
  await add(first.root, "poet");
  await until("it is in the first", () => first.chips().length === 2);
  await toggle(second.root);
  await until("the second is open", () => second.chips().length === 1);
  assert.deepEqual(second.model.state.words, ["chef"]);
  const ids = [first.root, second.root].flatMap((root) =>
    [...root.querySelectorAll("[id]")].map((node) => node.id),
  );
  assert.equal(new Set(ids).size, ids.length, "no id is used twice on the page");
});
