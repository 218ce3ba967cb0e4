/** What the dev pages share: what the address asks for, and putting benches on the page. */
import { FakeModel } from "./fake-model";

export const query = new URLSearchParams(location.search);
/** The state that is shown. */
export const show = query.get("show") ?? "ready";
/** Milliseconds until the fake model answers. */
export const lag = Number(query.get("lag") ?? 15);

const theme = query.get("theme");
if (theme) document.documentElement.dataset.theme = theme;

export const LOADING = {
  title: "Loading wiki-bootstraps",
  text: "Loaded once, then shared.",
  actions: [],
};

interface Module {
  render(context: { model: FakeModel; el: HTMLElement }): unknown;
}

/** Puts as many benches on the page as the address says; their models are `model0`, `model1`, … */
export function mount(bench: Module, makeModel: () => FakeModel): void {
  for (let i = 0; i < Number(query.get("instances") ?? 1); i++) {
    const el = document.createElement("div");
    document.querySelector("main")!.append(el);
    const model = makeModel();
    bench.render({ model, el });
    Object.assign(window, { [`model${i}`]: model });
  }
}

/**
 * Makes a model in the recorded state that the address names (`scenario=`), with the inputs that it
 * gives besides. Whatever is asked gets that scenario's answer.
 */
export function recordedModel(stateOf: (scenario?: string) => object): FakeModel {
  const state = { ...stateOf(query.get("scenario") ?? undefined) } as Record<string, unknown>;
  for (const [name, value] of query)
    if (name in state) state[name] = typeof state[name] === "string" ? value : JSON.parse(value);
  const model = new FakeModel(state);
  model.onMessage = (changes) => {
    setTimeout(() => {
      if ("command" in changes) {
        const { id, name } = state.command as { id: number; name: string };
        model.receive({ reply: { id, ok: true, message: `${name} was asked for.` } });
      } else if ("generation" in changes) {
        const answer = { ...(state.answer as object), generation: state.generation };
        model.receive({ answer });
      }
    }, lag);
  };
  return model;
}
