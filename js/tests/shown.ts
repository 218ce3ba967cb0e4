/** A bench in a document, over a model that answers as Python does, and a person's hands. */
import { afterEach } from "node:test";
import { FakeModel } from "../dev/fake-model";
import type { RenderContext } from "../src/host";
import { byId, until } from "./dom";

export type ModelKind = new (state: Record<string, unknown>) => FakeModel;

export interface Sent {
  id: number;
  name: string;
  args: Record<string, unknown>;
}

interface Bench {
  render(given: RenderContext): () => void;
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
  document.body.replaceChildren();
});

/** Shows a bench over a model, in an element that goes with the test. */
export function mounted(bench: Bench, model: FakeModel, more: Partial<RenderContext> = {}) {
  const el = document.createElement("div");
  document.body.append(el);
  const close = bench.render({ model, el, ...more });
  open.push(close);
  return { model, el, close, root: el.shadowRoot! };
}

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
  return mounted(bench, model);
}

/** Presses the button of the SVG; name and text of the file. */
export async function exportedSvg(root: ParentNode): Promise<[string, string]> {
  const saved: string[] = [];
  const link = Object.getPrototypeOf(document.createElement("a"));
  const click = link.click;
  link.click = function (this: HTMLAnchorElement) {
    saved.push(this.download);
  };
  const blobs: Blob[] = [];
  URL.createObjectURL = (blob: Blob) => `blob:${blobs.push(blob)}`;
  try {
    byId(root, "export-svg")!.click();
    await until("the file is made", () => saved.length === 1);
  } finally {
    link.click = click;
  }
  return [saved[0]!, await blobs[0]!.text()];
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
