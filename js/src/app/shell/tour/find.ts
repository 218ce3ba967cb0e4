/** Elements by selector, in shadow roots too: benches are drawn in one. */

const PATIENCE_MS = 20_000;

export function findDeep(root: Document | ShadowRoot, selector: string): Element | null {
  const found = root.querySelector(selector);
  if (found) return found;
  for (const element of root.querySelectorAll("*")) {
    if (!element.shadowRoot) continue;
    const inside = findDeep(element.shadowRoot, selector);
    if (inside) return inside;
  }
  return null;
}

/** Calls back with the element once it is on the page; gives up after a while. */
export function whenFound(selector: string, call: (found: Element) => void): void {
  const until = performance.now() + PATIENCE_MS;
  const look = () => {
    const element = findDeep(document, selector);
    if (element) call(element);
    else if (performance.now() < until) setTimeout(look, 100);
  };
  look();
}
