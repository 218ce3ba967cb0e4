/** How much of what is seen moves by itself, as Chromium counts it: "layout-shift" entries. */

interface Shift extends PerformanceEntry {
  value: number;
  sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
}

let found: Shift[] = [];
const take = (entries: PerformanceEntryList) => void found.push(...(entries as Shift[]));
const observer = new PerformanceObserver((list) => take(list.getEntries()));
observer.observe({ type: "layout-shift" });

const name = (node: Node | null) =>
  node instanceof Element ? `${node.localName}.${node.getAttribute("class")}` : "text";

/** What has moved since the last call: the sum of the shifts, and what moved in each. */
export function shifts(): { value: number; parts: string[] } {
  take(observer.takeRecords());
  const value = found.reduce((sum, shift) => sum + shift.value, 0);
  const parts = found.flatMap(({ sources }) =>
    sources.map(
      ({ node, previousRect: a, currentRect: b }) =>
        `${name(node)} by ${Math.round(b.x - a.x)}, ${Math.round(b.y - a.y)}`,
    ),
  );
  found = [];
  return { value, parts };
}
