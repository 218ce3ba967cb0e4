/** The dev page of the posterior bench; the address chooses what is shown: posterior.html. */
import bench from "../src/benches/posterior";
import type { Inputs } from "../src/benches/posterior/store";
import type { Answer } from "../src/generated/posterior";
import { FakeModel } from "./fake-model";
import { initialState, STEPS, toldAfter } from "./fake-posterior";
import { mount, query, show } from "./shown";

const points = query.has("points") ? Number(query.get("points")) : undefined;

function inputs(): Partial<Inputs> {
  const given: Record<string, unknown> = {};
  for (const [name, value] of query) {
    if (["chains", "draws", "rows", "prior_width"].includes(name)) given[name] = Number(value);
    else if (["label", "word", "axes", "prior", "engine"].includes(name)) given[name] = value;
  }
  return given;
}

function makeModel(): FakeModel {
  const state = initialState(inputs()) as unknown as Record<string, unknown>;
  const now = () => state as unknown as Inputs & { generation: number };
  const all = STEPS(now());
  const at = (done: number, more = {}) =>
    toldAfter(now(), { done, running: false, ...more }, now().generation, points);
  if (show === "ready") Object.assign(state, at(all));
  if (show === "untrusted") Object.assign(state, at(all, { stuck: true }));
  if (show === "running") Object.assign(state, at(Math.round(0.55 * all), { running: true }));
  if (show === "warm-up") Object.assign(state, at(90, { running: true }));
  if (show === "partial") Object.assign(state, at(Math.round(0.5 * all), { partial: true }));
  if (show === "stale") {
    Object.assign(state, at(all));
    (state.answer as Answer).picture!.run.stale = true;
  }
  if (show === "error") {
    Object.assign(state, at(all));
    Object.assign(state.answer as Answer, { state: "error", message: ERROR });
  }
  if (show === "loading") {
    state.answer = { ...(state.answer as Answer), state: "loading", message: LOADING };
    state.progress = { done: 3, total: 5, message: "MB", seconds_left: 2 };
  }
  const model = new FakeModel(state);
  let running = 0;
  let done = 0;
  const step = (more: number, number: number) => {
    done = Math.min(all, done + more);
    const end = done >= all;
    model.receive(
      toldAfter(now(), { done, running: !end, number, version: done }, now().generation, points),
    );
    if (end) clearInterval(running);
  };
  model.onMessage = (changes) => {
    setTimeout(() => {
      if (!("command" in changes)) {
        const last = (state.answer as Answer).picture;
        const fresh = last ? at(all).answer : (state.answer as Answer);
        return model.receive({ answer: { ...fresh, generation: now().generation } });
      }
      const { id, name } = model.get("command") as { id: number; name: string };
      const number = ((state.answer as Answer).picture?.run.number ?? 0) + 1;
      if (name === "run") {
        done = 0;
        running = window.setInterval(() => step(40, number), 100);
      }
      if (name === "stop") {
        clearInterval(running);
        model.receive(toldAfter(now(), { done, running: false, partial: true }, now().generation));
      }
      model.receive({ reply: { id, ok: true, message: "" } });
    }, 15);
  };
  return model;
}

const ERROR = {
  title: "The classifier answers with no number",
  text: "p(positive | s) is not a number at 312 of 64,000 points. Check the module’s last layer. The last picture stays, in grey.",
  actions: [{ label: "Try again", command: "retry" }],
};
const LOADING = {
  title: "Loading imdb-sentiment",
  text: "Loaded once, then shared.",
  actions: [],
};

mount(bench, makeModel);
