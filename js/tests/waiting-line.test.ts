import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/sentences.json";
import bench from "../src/benches/sentences";
import type { SentenceBenchState } from "../src/generated/sentences";
import type { JobInLine, TestProgress } from "../src/generated/shared";
import { runText } from "../src/lib/bench/tested";
import { ordinal, startText } from "../src/lib/bench/WaitingLine";
import { about } from "../src/lib/format";
import { byId, settle } from "./dom";
import { asked, shown } from "./shown";

const job = (title: string, place: number, more: Partial<JobInLine> = {}): JobInLine => ({
  title,
  place,
  own: false,
  done: 0,
  total: 0,
  seconds_left: null,
  ...more,
});
const RUNNING = job("Posterior", 0, { done: 3, total: 4, seconds_left: 40 });
const OWN = job("Sentences", 2, { own: true });
const stateOf = recorded<SentenceBenchState>(scenarios);

test("a bench that waits names who is before it, and can leave", async () => {
  const line = { jobs: [RUNNING, job("Images", 1), OWN], smaller: false, note: "" };
  const { root, model } = shown(bench, { ...stateOf("tested"), step: 3, line });
  await settle();
  const card = byId(root, "waiting-line")!;
  assert.match(card.textContent!, /Your run is second in line/);
  assert.deepEqual(
    [...card.querySelectorAll("li")].map((row) => row.textContent),
    ["RunningPosteriorabout 40 s left", "1st in lineImages", "2nd in lineSentences"],
  );
  assert.equal(card.querySelector("li.own-job")?.textContent, "2nd in lineSentences");
  assert.equal(byId(root, "smaller-run"), null);
  byId(root, "leave-line")!.click();
  await asked(model, "leave-line");
  model.receive({ line: { jobs: [], smaller: false, note: "" } });
  await settle();
  assert.equal(byId(root, "waiting-line"), null);
  assert.ok(byId(root, "verdict"));
});

test("a smaller run is offered where the bench has one", async () => {
  const line = { jobs: [RUNNING, job("Sentences", 1, { own: true })], smaller: true, note: "" };
  const { root, model } = shown(bench, { ...stateOf("tested"), step: 3, line });
  await settle();
  byId(root, "smaller-run")!.click();
  await asked(model, "smaller-run");
});

test("a run that reached the server's limit says so beside what it has", async () => {
  const note = "The run was stopped after 15 minutes, the most that one run may take here.";
  const line = { jobs: [], smaller: false, note };
  const { root } = shown(bench, { ...stateOf("tested"), step: 3, line });
  await settle();
  assert.equal(byId(root, "time-limit")!.textContent, note);
  assert.ok(byId(root, "verdict"));
});

test("a start is stated only where the time of everyone before is known", () => {
  const next = job("Sentences", 1, { own: true });
  assert.equal(startText([RUNNING, next]), "It starts in about 40 s. ");
  assert.equal(startText([RUNNING, job("Images", 1), OWN]), "");
  const known = job("Images", 1, { seconds_left: 20 });
  assert.equal(startText([RUNNING, known, OWN]), `It starts in ${about(60)}. `);
  assert.equal(startText([{ ...RUNNING, seconds_left: null }, next]), "");
});

test("places are words, then figures", () => {
  assert.deepEqual([1, 2, 5, 6, 11].map(ordinal), ["first", "second", "fifth", "6th", "11th"]);
});

test("a run that a person stopped says how much of it was tested", () => {
  const run: TestProgress = {
    number: 1,
    running: false,
    done: 12,
    total: 32,
    seconds: 3,
    seconds_left: null,
    untested: 20,
    stale: false,
  };
  const said = { done: 0, same: "same sentences" };
  assert.equal(runText(run, said), "Stopped: 12 of 32 are kept");
  assert.match(runText({ ...run, stale: true }, said), /^20 not scored yet/);
});
