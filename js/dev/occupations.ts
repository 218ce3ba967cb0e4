/** The dev page of the occupations bench; the address chooses what is shown: see occupations.html. */
import bench from "../src/benches/occupations";
import type { Inputs } from "../src/benches/occupations/store";
import type { Answer, Picture } from "../src/generated/occupations";
import { FakeModel } from "./fake-model";
import { answerTo, initialState, PAIRS, RELIGIONS, wordsOf } from "./fake-occupations";
import { LOADING, lag, mount, query, show } from "./shown";

function inputs(): Partial<Inputs> {
  const given: Record<string, unknown> = {};
  for (const [name, value] of query) {
    if (name === "words") given.words = wordsOf(Number(value));
    else if (name === "contrast") given.contrast = Number(value);
    else if (name === "groups" && value === "3") given.groups = RELIGIONS;
    else if (["pairing", "measure", "beside", "outside", "sort", "word"].includes(name))
      given[name] = value;
  }
  return given;
}

function makeModel(): FakeModel {
  const state = initialState(inputs()) as unknown as Record<string, unknown>;
  const now = () => state as unknown as Inputs & { generation: number };
  if (show === "empty") state.words = [];
  if (show === "cannot-say") {
    Object.assign(state, { subject: "GoogleNews word2vec", pairing: "sets" });
  }
  let picture: Picture | null = null;
  let answer: Answer = answerTo(now(), 0, null);
  picture = answer.picture;
  if (show === "error") answer = { ...answer, state: "error", message: ERROR };
  if (show === "loading") {
    answer = { ...answer, state: "loading", picture: null, message: LOADING };
    state.progress = { done: 11, total: 16, message: "MB", seconds_left: 2 };
  }
  state.answer = answer;
  const model = new FakeModel(state);
  model.onMessage = (changes) => {
    setTimeout(() => {
      if ("command" in changes) return obey(model);
      const next = answerTo(now(), now().generation, picture);
      picture = next.picture;
      model.receive({ answer: next });
    }, lag);
  };
  return model;
}

function obey(model: FakeModel): void {
  const { id, name, args } = model.get("command") as {
    id: number;
    name: string;
    args: Record<string, string>;
  };
  const reply = { id, ok: true, message: "Done.", ...replyTo(name, args) };
  model.receive({ reply });
}

function replyTo(name: string, args: Record<string, string>) {
  if (name === "load-table" && !/\d/.test(args.text ?? "")) {
    return { ok: false, message: "No column of numbers was found. Columns: word." };
  }
  if (name === "load-spec" && args.name === "love-hate") {
    const lists = [
      { name: "Cues 1", kind: "cue_1", terms: ["love"] },
      { name: "Cues 2", kind: "cue_2", terms: ["hate"] },
    ];
    return { content: JSON.stringify({ lists }) };
  }
  if (name === "load-spec") {
    const lists = [
      { name: "Cues 1", kind: "cue_1", terms: PAIRS.map(([a]) => a) },
      { name: "Cues 2", kind: "cue_2", terms: PAIRS.map(([, b]) => b) },
    ];
    return { content: JSON.stringify({ lists }) };
  }
  return {};
}

const ERROR = {
  title: "The lists have 8 and 7 cues",
  text: "Matched pairs need lists of equal length. Add a cue, or use all combinations.",
  actions: [{ label: "Use all combinations", set: { pairing: "all" } }],
};

mount(bench, makeModel);
