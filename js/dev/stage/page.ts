/** Puts benches in recorded states on one page, for tests in a real browser: tests/harness/stage.py. */
import { FakeModel, FakePanelModel } from "./fake-model";

type State = Record<string, unknown>;

interface Module {
  render(context: { model: FakeModel; el: HTMLElement }): () => void;
}

interface Mounted {
  model: FakeModel;
  el: HTMLElement;
  close(): void;
}

const MODELS = { notebook: FakeModel, app: FakePanelModel };
const mounted: Mounted[] = [];

const frame = () => new Promise((done) => requestAnimationFrame(done));

/** Ends when what was changed is laid out and seen. */
export async function drawn(): Promise<void> {
  // A bench measures its width in the first frame, and draws for that in the next.
  for (let i = 0; i < 3; i++) await frame();
}

/** Shows a bench; each change is answered with what the state says, if that is wanted. */
async function mount(slug: string, host: keyof typeof MODELS, state: State, answers: boolean) {
  const { default: bench } = (await import(`/static/${slug}.js`)) as { default: Module };
  const model = new MODELS[host](state);
  const number = mounted.length;
  const el = document.createElement("div");
  el.id = `mounted-${number}`;
  document.querySelector("main")!.append(el);
  mounted.push({ model, el, close: bench.render({ model, el }) });
  if (answers)
    model.onMessage = (changes) => {
      if ("generation" in changes) queueMicrotask(() => answer(number, {}));
    };
  await drawn();
  return number;
}

/** Answers the newest message. */
function answer(number: number, changes: State): void {
  const { model } = mounted[number]!;
  const { answer, generation } = model.state;
  model.receive({ answer: { ...(answer as State), ...changes, generation } });
}

/** Replies to the newest command. */
function reply(number: number, given: State): void {
  const { model } = mounted[number]!;
  model.receive({ reply: { ...given, id: (model.state.command as { id: number }).id } });
}

/** Takes what Python sends, `json`; an answer in it is one to the newest message. */
async function receive(number: number, changes: State): Promise<void> {
  const { model } = mounted[number]!;
  const { answer } = changes as { answer?: State };
  const own = answer && { answer: { ...answer, generation: model.state.generation } };
  model.receive({ ...changes, ...own });
  await drawn();
}

function clear(): void {
  for (const { close, el } of mounted.splice(0)) {
    close();
    el.remove();
  }
  localStorage.clear();
  sessionStorage.clear();
  scrollTo(0, 0);
}

const sent = (number: number) => mounted[number]!.model.sent;
const state = (number: number) => mounted[number]!.model.state;

Object.assign(window, { stage: { mount, answer, reply, receive, clear, sent, state, drawn } });
