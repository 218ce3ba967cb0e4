/** Puts benches in recorded states on one page, for tests in a real browser: tests/harness/stage.py. */
import { FakeModel, FakePanelModel } from "../fake-model";
import { Texts } from "./colours";
import { drawn, rendered } from "./drawn";
import { card, layout, markup, mislabelled, moving, stops, violations } from "./looks";
import { shifts } from "./shifts";

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
const root = (number: number) =>
  mounted[number]!.el.shadowRoot!.querySelector<HTMLElement>('[data-testid="bench"]')!;

const THEMES = ["light", "dark"];

/** Gives the page another theme. Nothing moves with it, so no frame has to be painted for it. */
async function theme(name: string): Promise<void> {
  document.documentElement.dataset.theme = name;
  await rendered();
}

const seen = new Map<string, Set<string>>();

/** What was looked at before, by a name of the look. */
const known = (look: string): Set<string> => {
  if (!seen.has(look)) seen.set(look, new Set());
  return seen.get(look)!;
};

/** What is wrong with a bench as it stands in this width, in both themes. */
async function look(number: number): Promise<string[]> {
  const bench = root(number);
  const width = innerWidth;
  const found = [
    ...layout(bench),
    ...markup(bench),
    ...mislabelled(bench),
    ...moving(bench, known(`moves ${bench.ariaLabel} ${width}`)),
  ];
  found.push(...(await violations(bench, known("built"))));
  found.push(...(await stops(bench, known(`stops ${bench.ariaLabel} ${width}`))));
  const now = document.documentElement.dataset.theme!;
  const other = THEMES.find((name) => name !== now)!;
  const texts = new Texts(bench);
  found.push(...texts.faint().map((fault) => `${now}, ${fault}`));
  // The next state begins in it: a theme is drawn once for each.
  await theme(other);
  found.push(...texts.faint().map((fault) => `${other}, ${fault}`));
  return found;
}

/** Opens each card that was not open in this width before; what is wrong, after its opener. */
async function cards(number: number): Promise<string[]> {
  const bench = root(number);
  const opened = known(`cards ${bench.ariaLabel} ${innerWidth}`);
  const found: string[] = [];
  for (const opener of bench.querySelectorAll<HTMLButtonElement>("button[aria-expanded=false]")) {
    const name = opener.dataset.testid ?? opener.textContent!;
    if (opener.disabled || opened.has(name) || !opener.isConnected) continue;
    opened.add(name);
    opener.click();
    await drawn();
    const inside = bench.querySelector(`[data-testid="${name}-card"], .popover`) ?? bench;
    const faults = [...card(bench, inside), ...new Texts(inside).faint(), ...mislabelled(inside)];
    faults.push(...(await violations(inside, known("built"))));
    found.push(...faults.map((fault) => `${name} open, ${fault}`));
    if (opener.getAttribute("aria-expanded") === "true") opener.click();
    await drawn();
  }
  return found;
}

/** How long a text that is not told at once may take. */
const PATIENCE_MS = 30_000;

/** What is wrong with a bench in each of these states; `text` is waited for. */
async function looks(number: number, states: { name: string; state: State; text: string }[]) {
  const found: string[] = [];
  for (const { name, state, text } of states) {
    await receive(number, state);
    const begun = performance.now();
    while (!root(number).textContent!.includes(text)) {
      if (performance.now() - begun > PATIENCE_MS)
        throw new Error(`${name} does not say “${text}”`);
      await drawn();
    }
    for (const fault of [...(await cards(number)), ...(await look(number))])
      found.push(`${name}, ${innerWidth} px: ${fault}`);
  }
  return found;
}

const bare = (number: number) => layout(root(number));

const exported = { mount, answer, reply, receive, clear, sent, state, drawn, theme, looks };
Object.assign(window, { stage: { ...exported, layout: bare, shifts } });
