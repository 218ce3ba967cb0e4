import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel } from "../dev/fake-model";
import { Host } from "../src/host";

interface State {
  answer: unknown;
  word: string;
}

test("a record that Panel sent as text is read, and only once", () => {
  const model = new FakeModel({ answer: { json: '{"generation":3}' }, word: '{"generation":4}' });
  const host = new Host<State>(model);
  assert.deepEqual(host.get("answer"), { generation: 3 });
  assert.equal(host.get("answer"), host.get("answer"));
  assert.equal(host.get("word"), '{"generation":4}');
  model.receive({ answer: { json: '{"generation":5}' } });
  assert.deepEqual(host.get("answer"), { generation: 5 });
});

test("a record that came as it is stays as it is, and a missing one is none", () => {
  const record = { generation: 3, json: null };
  const host = new Host<State & { none: unknown }>(new FakeModel({ answer: record, none: null }));
  assert.equal(host.get("answer"), record);
  assert.equal(host.get("none"), undefined);
});

test("what is said to a widget that is closed is lost in silence; other errors are not", () => {
  const model = new FakeModel({ word: "" });
  const host = new Host<{ word: string }>(model);
  model.save_changes = () => {
    throw new Error("no comm channel defined");
  };
  host.save({ word: "nurse" });
  model.save_changes = () => {
    throw new Error("something else");
  };
  assert.throws(() => host.save({ word: "teacher" }), /something else/);
});
