/** A document for the tests; import it before anything that touches one. */
import { afterEach, beforeEach } from "node:test";
import { Window } from "happy-dom";

const window = new Window({ url: "http://localhost/", width: 1200, height: 900 });

const names = [
  "document",
  "Element",
  "HTMLElement",
  "SVGElement",
  "Node",
  "ShadowRoot",
  "Event",
  "CustomEvent",
  "KeyboardEvent",
  "PointerEvent",
  "MouseEvent",
  "MutationObserver",
  "ResizeObserver",
  "getComputedStyle",
  "matchMedia",
  "requestAnimationFrame",
  "cancelAnimationFrame",
  "XMLSerializer",
] as const;

for (const name of names) {
  const value = (window as unknown as Record<string, unknown>)[name];
  const bound = typeof value === "function" && /^[a-z]/.test(name) ? value.bind(window) : value;
  Object.defineProperty(globalThis, name, { value: bound, configurable: true, writable: true });
}
Object.defineProperty(globalThis, "window", { value: window, configurable: true });

/** Something that a page meant to do later does not keep the tests from ending. */
const later = globalThis.setTimeout;
Object.defineProperty(globalThis, "setTimeout", {
  value: (...args: Parameters<typeof later>) => later(...args).unref(),
});

/** A test may wait for it, however little else there is to do. */
let running: NodeJS.Timeout;
beforeEach(() => {
  running = setInterval(() => {}, 1000);
});
afterEach(() => clearInterval(running));

/** Lets effects and frames that are due run. */
export async function settle(): Promise<void> {
  await new Promise((done) => requestAnimationFrame(() => done(undefined)));
  await new Promise((done) => later(done, 0));
}

/** Waits until something holds; fails, saying what, when it does not within half a minute. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const end = Date.now() + 30_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`Still not so: ${what}`);
    await settle();
  }
}

export const byId = (root: ParentNode, id: string) =>
  root.querySelector<HTMLElement>(`[data-testid="${id}"]`);

export const allById = (root: ParentNode, id: string) => [
  ...root.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`),
];

/** A clipboard that a page may write to, or may not; returns the texts on it. */
export function clipboard(allowed = true): string[] {
  const copied: string[] = [];
  const writeText = async (text: string) => {
    if (!allowed) throw new Error("not allowed");
    copied.push(text);
  };
  Object.defineProperty(globalThis, "navigator", {
    value: { clipboard: { writeText } },
    configurable: true,
  });
  return copied;
}
