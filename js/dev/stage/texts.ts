/** Where the texts of a bench stand, and which of them are cut, covered or over the edge. */
import { hidden, named } from "./elements";

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Line extends Box {
  of: Element;
}

/** Stands over the end of a text that is cut until it is opened. */
const OVER = ".room-more";

const EVERYWHERE: Box = { left: -1e9, right: 1e9, top: -1e9, bottom: 1e9 };

const common = (a: Box, b: Box): Box => ({
  left: Math.max(a.left, b.left),
  right: Math.min(a.right, b.right),
  top: Math.max(a.top, b.top),
  bottom: Math.min(a.bottom, b.bottom),
});

/** Where an element may be seen: inside those around it that clip or scroll. */
function windows() {
  const known = new Map<Element, Box>();
  const of = (element: Element): Box => {
    const found = known.get(element);
    if (found) return found;
    const around = element.parentElement ? of(element.parentElement) : EVERYWHERE;
    const clips = getComputedStyle(element).overflowX !== "visible";
    const own = clips ? common(around, element.getBoundingClientRect()) : around;
    known.set(element, own);
    return own;
  };
  return of;
}

/** A font says how high its tallest signs are; letters are as high as its size. */
function letters({ left, right, top, bottom }: Box, of: Element): Line {
  const spare = Math.max(0, bottom - top - Number.parseFloat(getComputedStyle(of).fontSize)) / 2;
  return { of, left, right, top: top + spare, bottom: bottom - spare };
}

/** The lines of all texts that are seen. */
export function linesOf(root: Element): Line[] {
  const seen = windows();
  const lines: Line[] = [];
  const add = (box: Box, of: Element, within: Box) => {
    const visible = common(letters(box, of), within);
    if (visible.right - visible.left > 1 && visible.bottom - visible.top > 1)
      lines.push({ ...visible, of });
  };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const of = node.parentElement!;
    if (!node.textContent!.trim() || of.closest(`svg,style,option,textarea,${OVER}`) || hidden(of))
      continue;
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) add(box, of, seen(of));
  }
  for (const text of root.querySelectorAll("svg text"))
    if (text.textContent!.trim() && !hidden(text))
      add(text.getBoundingClientRect(), text, seen(text.closest("svg")!));
  return lines;
}

/** Texts that stand over each other by more than a pixel both ways. */
export function overlaps(lines: Line[]): string[] {
  const found = new Set<string>();
  const sorted = [...lines].sort((a, b) => a.top - b.top);
  sorted.forEach((one, i) => {
    for (let j = i + 1; j < sorted.length && sorted[j]!.top < one.bottom - 1; j++) {
      const other = sorted[j]!;
      const both = common(one, other);
      if (both.right - both.left <= 1 || both.bottom - both.top <= 1) continue;
      if (one.of === other.of || one.of.contains(other.of) || other.of.contains(one.of)) continue;
      found.add(`over each other: ${named(one.of)} ${named(other.of)}`);
    }
  });
  return [...found];
}

/** What goes over the edge of the bench, or is cut without a title that tells the rest. */
export function edges(root: Element, inside: Element = root): string[] {
  const found: string[] = [];
  const seen = windows();
  const outer = root.getBoundingClientRect();
  for (const element of inside.querySelectorAll("*")) {
    // Of a drawing only texts are looked at: what else is too wide for it is clipped.
    const drawn = element instanceof SVGElement && element.localName !== "svg";
    if ((drawn && element.localName !== "text") || hidden(element)) continue;
    const box = common(element.getBoundingClientRect(), seen(element.parentElement!));
    if (box.left >= box.right) continue;
    if (box.right > outer.right + 1 || box.left < outer.left - 1)
      found.push(`over the edge: ${named(element)}`);
    if (drawn) {
      const room = element.closest("svg")!.getBoundingClientRect();
      const whole = element.getBoundingClientRect();
      if (whole.right > room.right + 1 || whole.left < room.left - 1)
        found.push(`out of its drawing: ${named(element)}`);
    } else if (element.scrollWidth > element.clientWidth + 1) found.push(...cut(element));
  }
  return found;
}

function cut(element: Element): string[] {
  const { display, overflowX, textOverflow } = getComputedStyle(element);
  if (display === "inline" || overflowX === "auto" || overflowX === "scroll") return [];
  if (textOverflow === "ellipsis")
    return element.closest("[title]") ? [] : [`cut, without a title: ${named(element)}`];
  const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent!.trim());
  return own && element.clientWidth > 0 ? [`wider than its box: ${named(element)}`] : [];
}
