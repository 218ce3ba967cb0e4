import assert from "node:assert/strict";
import { test } from "node:test";
import { FakePanelModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/psychometric.json";
import { watchConnection } from "../src/app/shell/lost";
import bench from "../src/benches/psychometric";
import type { PsychometricBenchState } from "../src/generated/psychometric";
import { byId, settle, until } from "./dom";
import { press, shown, text, type } from "./shown";

type Call = (document: never, event: { timeout: number | null }) => void;

function page() {
  document.body.innerHTML = '<main id="content"><div data-root-id="1"></div></main>';
  const calls = new Map<string, Call>();
  const documents = [{ on_event: (name: string, call: Call) => calls.set(name, call) }];
  watchConnection({ document, documents: documents as never });
  const main = document.querySelector("main")!;
  return {
    main,
    tell: (name: string, timeout: number | null = 1000) =>
      calls.get(name)!(undefined as never, { timeout }),
    root: main.querySelector<HTMLElement>("[data-root-id]")!,
  };
}

test("a lost connection takes the controls away, and gives them back", async () => {
  const { main, root, tell } = page();
  tell("connection_lost");
  await until("the notice stands there", () => main.querySelector(".lost") !== null);
  assert.equal(root.inert, true);
  assert.match(main.textContent!, /this is the last result/);
  assert.equal(main.querySelector("button"), null);
  tell("client_reconnected");
  assert.equal(root.inert, false);
  assert.equal(main.querySelector(".lost"), null);
});

test("once no further attempt is made, the page offers to be loaded again", async () => {
  const { main, tell } = page();
  tell("connection_lost");
  tell("connection_lost", null);
  await until("the button stands there", () => main.querySelector(".lost button") !== null);
  assert.equal(main.querySelectorAll(".lost").length, 1);
});

test("a person who was signed out reads it, and can sign in again", async () => {
  const { main, tell } = page();
  const { fetch } = globalThis;
  globalThis.fetch = async () =>
    new Response('{"error": "You are signed out. Load the page again."}', { status: 401 });
  tell("connection_lost");
  await until("the button stands there", () => main.querySelector(".lost button") !== null);
  globalThis.fetch = fetch;
  assert.match(main.textContent!, /^You are signed out. Load the page again/);
});

test("a connection that comes back at once was not missed", async () => {
  const { main, tell } = page();
  tell("connection_lost");
  tell("client_reconnected");
  await settle();
  assert.equal(main.querySelector(".lost"), null);
});

test("no new word stands beside old numbers, and the word can be asked for again", async () => {
  const state = recorded<PsychometricBenchState>(scenarios)("nurse");
  const { root, model } = shown(bench, state, FakePanelModel);
  await settle();
  model.onMessage = () => {};
  type(root, "word-input", "teacher");
  await until("the word has left", () => model.state.word === "teacher");
  document.dispatchEvent(new CustomEvent("biaslab:lost"));
  await settle();
  assert.match(text(root, "question"), /“nurse”/);
  assert.equal(model.state.word, "nurse");
  assert.equal(byId(root, "bench")!.dataset.waiting, undefined);
  type(root, "word-input", "teacher");
  press(byId(root, "word-input")!, "Enter");
  await settle();
  assert.equal(model.state.word, "nurse");
  document.dispatchEvent(new CustomEvent("biaslab:back"));
  type(root, "word-input", "teacher");
  await until("it leaves again", () => model.state.word === "teacher");
});
