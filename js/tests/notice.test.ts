import assert from "node:assert/strict";
import { test } from "node:test";
import { goneNotice, moment } from "../src/lab/notice";
import type { ShownBench } from "../src/lab/records";
import { clipboard } from "./dom";

const BENCH: ShownBench = {
  id: "1",
  model_id: "1",
  bench: "PsychometricBench",
  kernel: "k",
  made_of: "m",
  about: "nurse, wiki-bootstraps",
  time: "2026-11-22T17:31:00",
  code: "import biaslab as bl\n",
  settings: {},
};

test("a time is said as of today", () => {
  const at = (day: number) => moment("2026-11-22T17:31:00", new Date(2026, 10, day, 0, 5));
  assert.equal(at(22), "today at 17:31");
  assert.equal(at(23), "yesterday at 17:31");
  assert.equal(at(24), "on 22 Nov 2026 at 17:31");
  assert.equal(moment("nonsense"), "");
});

test("the card of a gone kernel names its last result, runs the cell and copies the code", async () => {
  let ran = 0;
  const copied = clipboard();
  const card = goneNotice(BENCH, () => {
    ran += 1;
  });
  assert.match(card.textContent, /nurse, wiki-bootstraps, computed .* at 17:31\./);
  const [again, copy] = card.querySelectorAll("button");
  again!.click();
  copy!.click();
  await Promise.resolve();
  assert.equal(ran, 1);
  assert.deepEqual(copied, [BENCH.code]);
});

test("a bench without a result offers no code", () => {
  const card = goneNotice({ ...BENCH, time: "", code: "" }, () => {});
  assert.equal(card.querySelectorAll("button").length, 1);
  assert.doesNotMatch(card.textContent, /computed/);
});
