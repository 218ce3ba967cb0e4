/** The dev page: the bench over a fake model. The address chooses what is shown; see index.html. */
import bench from "../src/benches/psychometric";
import type { Inputs } from "../src/benches/psychometric/store";
import type { Answer } from "../src/generated/psychometric";
import { answerTo, initialState, pictureOf } from "./fake-answers";
import { FakeModel } from "./fake-model";
import { LOADING, lag, mount, query, show } from "./shown";

function inputs(): Partial<Inputs> {
  const given: Record<string, unknown> = {};
  for (const [name, value] of query) {
    if (name === "pairs") given.selected_pairs = Array.from({ length: Number(value) }, (_, i) => i);
    else if (["noise", "alpha", "levels", "replicates", "prior_sd"].includes(name))
      given[name] = Number(value);
    else if (name === "fit_axis") given[name] = value === "1";
    else if (["word", "curve", "jnd", "subject", "scoring"].includes(name)) given[name] = value;
  }
  return given;
}

function makeModel(): FakeModel {
  const state = initialState(inputs()) as unknown as Record<string, unknown>;
  if (show === "empty") Object.assign(state, { word: "" });
  if (show === "cannot-say") Object.assign(state, { subject: "GoogleNews word2vec" });
  const model = new FakeModel(state);
  const now = () => state as unknown as Inputs & { generation: number };
  let picture = show === "empty" ? null : pictureOf(now());
  let answer: Answer = answerTo(now(), 0, picture);
  if (show === "error") answer = { ...answer, state: "error", message: ERROR };
  if (show === "loading") {
    answer = { ...answer, state: "loading", picture: null, message: LOADING };
    state.progress = { done: 11, total: 16, message: "MB", seconds_left: 2 };
  }
  if (show === "partial") {
    const first = pictureOf({ ...now(), replicates: 12 });
    answer = { ...answer, state: "loading", picture: first, message: PARTIAL };
    state.progress = { done: 12, total: 32, message: "replicates", seconds_left: 40 };
  }
  state.answer = answer;
  model.onMessage = (changes) => {
    setTimeout(() => {
      if ("command" in changes) return obey(model);
      const next = answerTo(now(), now().generation, picture);
      picture = next.picture;
      model.receive({ answer: next, progress: initialState().progress });
    }, lag);
  };
  return model;
}

function obey(model: FakeModel): void {
  const { id, name } = model.get("command") as { id: number; name: string };
  const files: Record<string, string> = { csv: "text/csv", json: "application/json" };
  const type = files[name];
  const reply = type
    ? { filename: `two-afc-nurse.${name}`, media_type: type, content: "word,pse\nnurse,0.61\n" }
    : {};
  const message = type ? `two-afc-nurse.${name} is ready.` : "Saved as run 24.";
  model.receive({ reply: { id, ok: true, message, ...reply } });
}

const ERROR = {
  title: "This file ends in the middle of line 48,213",
  text: "97 of 100 numbers were read. Your word list and settings are kept; the last picture stays, in grey.",
  actions: [
    { label: "Use the first 48,212 words", command: "retry" },
    { label: "Other file", command: "retry" },
  ],
};
const PARTIAL = {
  title: "12 of 32 replicates",
  text: "The picture shows what is known so far; the verdict waits.",
  actions: [],
};

mount(bench, makeModel);
