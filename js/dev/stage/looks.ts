/** Looks at a bench as it stands: what is wrong, a line each. */
import type { AxeResults, RunOptions } from "axe-core";
import { drawn } from "./drawn";
import { hidden, named } from "./elements";
import { edges, linesOf, overlaps } from "./texts";

interface Context {
  include: Element[];
  exclude: Element[];
}

declare const axe: { run(on: Context, options: RunOptions): Promise<AxeResults> };

/** Whether texts have room and places of their own; these don't depend on the theme. */
export function layout(root: Element): string[] {
  const wide = document.documentElement.scrollWidth > innerWidth;
  return [
    ...(wide ? ["the page scrolls sideways"] : []),
    ...edges(root),
    ...overlaps(linesOf(root)),
  ];
}

/** An open card has room, and its texts are apart from each other. */
export const card = (root: Element, inside: Element): string[] => [
  ...edges(root, inside),
  ...overlaps(linesOf(inside)),
];

/** One heading says what the bench asks, and no name became an element. */
export function markup(root: Element): string[] {
  const headings = root.querySelectorAll("h1").length;
  const found = headings === 1 ? [] : [`${headings} headings of the first level`];
  for (const element of root.querySelectorAll("*"))
    if (element.getAttributeNames().some((name) => name.startsWith("on")))
      found.push(`a script in the page: ${named(element)}`);
  return found;
}

const AXE: RunOptions = {
  resultTypes: ["violations"],
  selectors: false,
  elementRef: true,
  // It would read all style sheets each time, for rules of whole pages.
  preload: false,
  rules: {
    // Looked at in both themes by `contrast`, in a tenth of the time.
    "color-contrast": { enabled: false },
    // It also reads the titles of drawings: see `mislabelled`.
    "label-content-name-mismatch": { enabled: false },
    // Off by default: 24 px, or as much room around it.
    "target-size": { enabled: true },
  },
};

/** What axe-core sees of an element itself: texts and numbers change nothing in that. */
function line(element: Element): string {
  const names = element.getAttributeNames().filter((name) => !/^(style|data-|title)/.test(name));
  const text = element.textContent!.trim() !== "";
  return [element.localName, element.role, ...names, text].join();
}

/** Elements that only hold others. */
const HOLDS = ["div", "section"];

/** Describes an element and its parts as axe-core sees them; keeps that of each in `of`. */
function skeleton(element: Element, of: Map<Element, string>): string {
  const holds = HOLDS.includes(element.localName) && !(element.role && element.role !== "region");
  const drawing = element instanceof SVGElement;
  const inside = new Set<string>();
  for (const part of drawing ? element.querySelectorAll("[role]") : element.children) {
    const built = of.get(part) ?? skeleton(part, of);
    inside.add(holds ? line(part) : built);
  }
  const found = `${line(element.parentElement!)}>${line(element)}(${[...inside].join(";")})`;
  of.set(element, found);
  return found;
}

/** What axe-core finds in elements that are built as none that it has seen, the `known`. */
export async function violations(inside: Element, known: Set<string>): Promise<string[]> {
  const of = new Map<Element, string>();
  skeleton(inside, of);
  const include: Element[] = [];
  const exclude: Element[] = [];
  // Of neighbours in the tree only the outermost is named, for axe-core goes by the nearest.
  const sort = (element: Element, within: boolean) => {
    const built = of.get(element);
    const fresh = built === undefined ? within : !known.has(built);
    if (fresh !== within) (fresh ? include : exclude).push(element);
    if (built) known.add(built);
    for (const child of element.children) sort(child, fresh);
  };
  sort(inside, false);
  if (include.length === 0) return [];
  const { violations } = await axe.run({ include, exclude }, AXE);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ element }) => `axe ${id}: ${named(element as Element)}`),
  );
}

const CALLED = "button,a,label,[role=option],[role=gridcell],[role=tab],[role=radio]";

/** Controls that can't be called by the text on them, which their name lacks. */
export function mislabelled(root: Element): string[] {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}%]+/gu, " ")
      .trim();
  const found: string[] = [];
  for (const control of root.querySelectorAll(CALLED)) {
    const name = control.getAttribute("aria-label");
    if (name === null || hidden(control)) continue;
    const texts = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
    let text = "";
    while (texts.nextNode()) {
      const { parentElement, nodeValue } = texts.currentNode;
      if (!parentElement!.closest("title") && !hidden(parentElement!)) text += ` ${nodeValue}`;
    }
    // A text that is cut for the eye is whole in the name.
    if (!text.includes("…") && !plain(name).includes(plain(text)))
      found.push(`called “${name}”, which lacks its text: ${named(control)}`);
  }
  return found;
}

const REST = ["0s", "none"];

/** What moves by itself, though motion is not wanted; of `known` kinds none is looked at again. */
export function moving(root: Element, known: Set<string>): string[] {
  const found: string[] = [];
  for (const element of root.querySelectorAll("*")) {
    const kind = `${element.localName}.${element.getAttribute("class")}`;
    if (known.has(kind)) continue;
    known.add(kind);
    for (const pseudo of [null, "::before", "::after"]) {
      const style = getComputedStyle(element, pseudo);
      const still = style.transitionDuration.split(", ").every((time) => REST.includes(time));
      if ((still || style.transitionProperty === "none") && style.animationName === "none")
        continue;
      found.push(`moves: ${named(element)}${pseudo ?? ""}`);
    }
  }
  return found;
}

const STOPS = "a[href],button,input,select,textarea,summary,[tabindex]";

/**
 * Stops of the Tab key without a name, or where the focus is not seen; of `known` kinds none is
 * looked at again.
 */
export async function stops(root: Element, known: Set<string>): Promise<string[]> {
  const found: string[] = [];
  for (const stop of root.querySelectorAll<HTMLInputElement>(STOPS)) {
    if (stop.tabIndex < 0 || stop.disabled || stop.getClientRects().length === 0) continue;
    const kind = `${stop.localName}.${stop.getAttribute("class")}.${stop.dataset.testid}`;
    if (known.has(kind)) continue;
    known.add(kind);
    const label = stop.getAttribute("aria-labelledby");
    const text = stop.ariaLabel || stop.labels?.length || label || stop.textContent?.trim();
    if (!text) found.push(`a stop without a name: ${named(stop)}`);
    stop.blur();
    const before = ring(stop);
    stop.focus({ preventScroll: true });
    // Some draw a ring of their own, a frame later.
    if (ring(stop) === before) await drawn();
    if (stop.matches(":focus") && ring(stop) === before)
      found.push(`the focus is not seen on ${named(stop)}`);
    stop.blur();
  }
  return found;
}

/** How an element, what is in it and what is around it are outlined. */
function ring(stop: Element): string {
  const near = [stop.parentElement!.parentElement!, stop.parentElement!, stop.nextElementSibling];
  return [stop, ...near, ...stop.querySelectorAll("*")]
    .filter((element) => element !== null)
    .map((element) => {
      const style = getComputedStyle(element);
      const { outlineStyle, outlineWidth, outlineOffset, boxShadow, borderColor } = style;
      const { stroke, strokeWidth, strokeOpacity } = style;
      const outline = outlineStyle === "none" ? [] : [outlineStyle, outlineWidth, outlineOffset];
      return [...outline, boxShadow, borderColor, stroke, strokeWidth, strokeOpacity];
    })
    .join();
}
