import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/occupations.json";
import bench from "../src/benches/occupations";
import type { OccupationsBenchState } from "../src/generated/occupations";
import { clipboard, settle } from "./dom";
import { asked, reply, shown, text } from "./shown";

const stateOf = recorded<OccupationsBenchState>(scenarios);
const button = (root: ParentNode) =>
  root.querySelector<HTMLButtonElement>('[data-testid="copy-code"]')!;

test("Copy as code asks Python and puts its answer on the clipboard", async () => {
  const copied = clipboard();
  const { root, model } = shown(bench, stateOf());
  await settle();
  button(root).click();
  await asked(model, "code");
  assert.ok(button(root).disabled, "while it is asked for");
  reply(model, true, "The code is ready.", { content: "import biaslab as bl\n" });
  await settle();
  assert.deepEqual(copied, ["import biaslab as bl\n"]);
  assert.match(text(root, "notice"), /on the clipboard/);
  assert.ok(!button(root).disabled);
});

test("a clipboard that the page may not write to is named", async () => {
  clipboard(false);
  const { root, model } = shown(bench, stateOf());
  await settle();
  button(root).click();
  await asked(model, "code");
  reply(model, true, "", { content: "import biaslab as bl\n" });
  await settle();
  assert.match(text(root, "notice"), /may not write to the clipboard/);
});

test("a refusal is shown and nothing is copied", async () => {
  const copied = clipboard();
  const { root, model } = shown(bench, stateOf());
  await settle();
  button(root).click();
  await asked(model, "code");
  reply(model, false, "There is no result yet.");
  await settle();
  assert.deepEqual(copied, []);
  assert.match(text(root, "notice"), /There is no result yet/);
});

test("without a result there is nothing to copy", async () => {
  const state = stateOf();
  const { root } = shown(bench, { ...state, answer: { ...state.answer, picture: null } });
  await settle();
  assert.ok(button(root).disabled);
});
