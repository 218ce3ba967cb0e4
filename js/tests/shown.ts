/** A bench in a document, over a model that answers as Python does, and a person's hands. */
import { afterEach } from "node:test";
import { FakeModel } from "../dev/fake-model";
import { byId, until } from "./dom";

export type ModelKind = new (state: Record<string, unknown>) => FakeModel;

export interface Sent {
  id: number;
  name: string;
  args: Record<string, unknown>;
}

interface Bench {
  render(given: { model: FakeModel; el: HTMLElement }): () => void;
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
  document.body.replaceChildren();
});

/** Shows a bench; whatever it sends is answered with what its state says. It goes with the test. */
export function shown(bench: Bench, state: object, Kind: ModelKind = FakeModel) {
  const model = new Kind(state as Record<string, unknown>);
  model.onMessage = (changes) => {
    if (!("generation" in changes)) return;
    const { generation } = changes;
    queueMicrotask(() =>
      model.receive({ answer: { ...(model.state.answer as object), generation } }),
    );
  };
  const el = document.createElement("div");
  document.body.append(el);
  const close = bench.render({ model, el });
  open.push(close);
  return { model, close, root: el.shadowRoot! };
}

export const press = (node: Element, key: string, more: KeyboardEventInit = {}) =>
  node.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }),
  );

export function type(root: ParentNode, id: string, value: string, event = "input") {
  const field = byId(root, id) as HTMLInputElement;
  field.value = value;
  field.dispatchEvent(new Event(event, { bubbles: true }));
}

export const text = (root: ParentNode, id: string) => byId(root, id)?.textContent ?? "";

/** The newest command. */
export const commandOf = (model: FakeModel) => model.state.command as Sent;

/** Waits for a command. */
export async function asked(model: FakeModel, name: string): Promise<Sent> {
  await until(`the command ${name}`, () => commandOf(model).name === name);
  return commandOf(model);
}

/** Replies to the newest command. */
export const reply = (model: FakeModel, ok = true, message = "", more: object = {}) =>
  model.receive({ reply: { id: commandOf(model).id, ok, message, ...more } });
