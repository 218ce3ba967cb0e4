/** The dev page of the association bench; the address chooses what is shown: association.html. */
import bench from "../src/benches/association";
import type { Inputs } from "../src/benches/association/store";
import type { Answer, Picture } from "../src/generated/association";
import { answerTo, initialState, religions } from "./fake-association";
import { FakeModel } from "./fake-model";
import { LOADING, lag, mount, query, show } from "./shown";

function inputs(): Partial<Inputs> {
  const given: Record<string, unknown> = {};
  for (const [name, value] of query) {
    if (name === "neutral") given.lists = religions(Number(value));
    else if (["step", "ddof", "replicate"].includes(name)) given[name] = Number(value);
    else if (["model", "debiasing", "shown", "subject", "alternative"].includes(name))
      given[name] = value;
  }
  return given;
}

function makeModel(): FakeModel {
  const state = initialState(inputs()) as unknown as Record<string, unknown>;
  const now = () => state as unknown as Inputs & { generation: number };
  if (show === "empty") state.lists = [];
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
  const content = name === "load-spec" ? JSON.stringify({ lists: religions(20) }) : undefined;
  model.receive({ reply: { id, ok: true, message: `${name} ${args.name ?? ""}`, content } });
}

const ERROR = {
  title: "Islam has one word",
  text: "Nothing can be said about a group from a single word. Add another word to it.",
  actions: [],
};

mount(bench, makeModel);
