/** How much of what is seen moves by itself, as Chromium counts it: "layout-shift" entries. */

import { named } from "./elements";

interface Shift extends PerformanceEntry {
  value: number;
  sources: { previousRect: DOMRect; currentRect: DOMRect }[];
}

let found: Shift[] = [];
const take = (entries: PerformanceEntryList) => void found.push(...(entries as Shift[]));
const observer = new PerformanceObserver((list) => take(list.getEntries()));
observer.observe({ type: "layout-shift" });

/** What stands in the middle of a place: in a shadow root the browser doesn't say what moved. */
function at({ x, y, width, height }: DOMRect): string {
  let root: Document | ShadowRoot = document;
  for (;;) {
    const found: Element | null = root.elementFromPoint(x + width / 2, y + height / 2);
    if (!found?.shadowRoot || found.shadowRoot === root) return found ? named(found) : "nothing";
    root = found.shadowRoot;
  }
}

/** What has moved since the last call: the sum of the shifts, and what moved in each. */
export function shifts(): { value: number; parts: string[] } {
  take(observer.takeRecords());
  const value = found.reduce((sum, shift) => sum + shift.value, 0);
  const parts = found.flatMap(({ value, sources }) =>
    sources.map(
      ({ previousRect: a, currentRect: b }) =>
        `${value.toFixed(3)}: ${at(b)} by ${Math.round(b.x - a.x)}, ${Math.round(b.y - a.y)}`,
    ),
  );
  found = [];
  return { value, parts };
}
