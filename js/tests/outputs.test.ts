import assert from "node:assert/strict";
import { test } from "node:test";
import { FakePanelModel } from "../dev/fake-model";
import { Host } from "../src/host";

interface State {
  answer: { generation: number; picture?: { word: string } | null };
  subjects: string[];
  reply: { id: number };
}

/** The model of a page whose document was written after `n` messages. */
function page(n = 4) {
  const model = new FakePanelModel({
    answer: { json: '{"generation":0,"picture":{"word":"nurse"}}' },
    subjects: ["one"],
    reply: { json: '{"id":0}' },
    outputs: `{"n":${n}}`,
    outputs_seen: [0, 0],
  });
  const host = new Host<State>(model);
  const told: string[] = [];
  host.on(["reply", "answer", "subjects"], (name) => told.push(name));
  const send = (message: object) => model.receive({ outputs: JSON.stringify(message) });
  return { model, host, told, send, stop: host.follow() };
}

test("messages in a row are put together", () => {
  const { host, told, send } = page();
  assert.deepEqual(host.get("answer"), { generation: 0, picture: { word: "nurse" } });
  send({ n: 5, changed: { subjects: [["one", "two"]], answer: { generation: [1] } } });
  assert.deepEqual(host.get("answer"), { generation: 1, picture: { word: "nurse" } });
  assert.deepEqual(host.get("subjects"), ["one", "two"]);
  assert.deepEqual(told, ["subjects", "answer"]);
  send({ n: 6, changed: { answer: { picture: { word: ["teacher"] } } } });
  assert.deepEqual(host.get("answer"), { generation: 1, picture: { word: "teacher" } });
  assert.deepEqual(host.get("reply"), { id: 0 });
});

test("a page says what it has when it is shown, and asks for the whole where a number is missing", () => {
  const { model, host, told, send } = page();
  assert.deepEqual(model.sent, [{ outputs_seen: [4, 1] }]);
  send({ n: 6, changed: { answer: { generation: [2] } } });
  assert.deepEqual(model.sent[1], { outputs_seen: [4, 2] });
  assert.deepEqual(told, []);
  assert.equal(host.get("answer")?.generation, 0);
  send({ n: 6, whole: true, changed: { answer: [{ generation: 2, picture: null }] } });
  assert.deepEqual(host.get("answer"), { generation: 2, picture: null });
  assert.deepEqual(told, ["answer"]);
  send({ n: 7, changed: { answer: { generation: [3] } } });
  assert.equal(host.get("answer")?.generation, 3);
});

test("a page whose scripts come after a message asks for the whole", () => {
  const model = new FakePanelModel({
    answer: { json: '{"generation":0}' },
    outputs: '{"n":4,"changed":{"answer":{"generation":[1]}}}',
    outputs_seen: [0, 0],
  });
  const host = new Host<State>(model);
  host.follow();
  assert.deepEqual(model.sent, [{ outputs_seen: [-1, 1] }]);
  assert.equal(host.get("answer")?.generation, 0);
  const whole = { n: 4, whole: true, changed: { answer: [{ generation: 1 }] } };
  model.receive({ outputs: JSON.stringify(whole) });
  assert.equal(host.get("answer")?.generation, 1);
});

test("a second view of a model shows the same, and one that comes later has all of it", () => {
  const first = page();
  const second = new Host<State>(first.model);
  const told: string[] = [];
  second.on(["answer"], (name) => told.push(name));
  const stop = second.follow();
  first.send({ n: 5, changed: { answer: { generation: [1] } } });
  assert.deepEqual(told, ["answer"]);
  assert.equal(second.get("answer"), first.host.get("answer"));
  stop();
  first.stop();
  const third = new Host<State>(first.model);
  assert.equal(third.get("answer")?.generation, 1);
  third.follow();
  assert.deepEqual(first.model.sent.at(-1), { outputs_seen: [5, 3] });
});

test("in a notebook nothing of this is asked for", () => {
  const model = new FakePanelModel({ answer: { generation: 1 } });
  const host = new Host<State>(model);
  host.follow()();
  assert.deepEqual(model.sent, []);
  model.receive({ answer: { generation: 2 } });
  assert.equal(host.get("answer")?.generation, 2);
});
