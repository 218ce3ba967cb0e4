/** Whether texts stand out from their ground: WCAG's contrast. */
import { named } from "./elements";

/** Texts that nobody reads in this place: copies, and what can't be used now. */
const EXEMPT = ".visually-hidden, .whole-figure, .ghost, :disabled, [aria-disabled], option";
const ENOUGH = 4.5;

type Colour = number[];

const known = new Map<string, Colour>();

function channels(colour: string): Colour {
  const found = known.get(colour) ?? parsed(colour);
  known.set(colour, found);
  return found;
}

function parsed(colour: string): Colour {
  const [, space, inside] = /^(rgba?|color)\((?:srgb )?([^)]+)\)$/.exec(colour) ?? [];
  const found = (inside ?? "").split(/[\s,/]+/).map(Number);
  return space === "color" ? found.map((v, i) => (i < 3 ? 255 * v : v)) : found;
}

const light = (colour: Colour) =>
  colour
    .slice(0, 3)
    .map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i]!, 0);

function over(ink: Colour, ground: Colour): Colour {
  const share = ink[3] ?? 1;
  return ink.slice(0, 3).map((v, i) => share * v + (1 - share) * ground[i]!);
}

/** The plates and pills that were drawn before a text, around it, the nearest first. */
function plates(element: Element): Element[] {
  const found: Element[] = [];
  let own: DOMRect | null = null;
  for (let at = element.previousElementSibling; at; at = at.previousElementSibling) {
    if (at.localName !== "rect") continue;
    own ??= element.getBoundingClientRect();
    const box = at.getBoundingClientRect();
    const beside = box.left <= own.left && own.right <= box.right;
    if (beside && box.top <= own.top + 2 && own.bottom - 2 <= box.bottom) found.push(at);
  }
  return found;
}

function covers(plate: Element): boolean {
  const { fill, fillOpacity, opacity } = getComputedStyle(plate);
  return fill !== "none" && Number(fillOpacity) * Number(opacity) >= 1;
}

/** The contrast of the texts in an element, in the theme of the moment. */
export class Texts {
  private readonly elements: Element[];
  private readonly plates = new Map<Element, Element[]>();

  constructor(root: Element) {
    const found = new Set<Element>();
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
      if (texts.currentNode.nodeValue!.trim()) found.add(texts.currentNode.parentElement!);
    this.elements = [...found];
  }

  /** Those of less contrast than is enough, and how much they have. */
  faint(): string[] {
    const grounds = new Map<Element, Colour>();
    const found: string[] = [];
    for (const element of this.elements) {
      const { fill, color } = getComputedStyle(element);
      const ink = channels(element instanceof SVGElement ? fill : color);
      if (ink.length < 3) continue;
      const behind = this.ground(element, grounds);
      const [a, b] = [light(over(ink, behind)), light(behind)].sort((x, y) => y - x);
      const ratio = (a! + 0.05) / (b! + 0.05);
      if (ratio < ENOUGH && isRead(element))
        found.push(`contrast ${ratio.toFixed(1)}: ${named(element)}`);
    }
    return found;
  }

  /** What is under a text, which has a place of its own whatever the theme. */
  private ground(element: Element | null, known: Map<Element, Colour>): Colour {
    if (!element) return [255, 255, 255];
    const before = known.get(element);
    if (before) return before;
    const plate = element instanceof SVGElement && this.platesOf(element).find(covers);
    const { backgroundColor, fill } = getComputedStyle(plate || element);
    const own = channels(plate ? fill : backgroundColor);
    const opaque = own.length === 3 || own[3]! > 0.99;
    const found = opaque ? own : over(own, this.ground(element.parentElement, known));
    known.set(element, found);
    return found;
  }

  private platesOf(element: Element): Element[] {
    const known = this.plates.get(element) ?? plates(element);
    this.plates.set(element, known);
    return known;
  }
}

/** Whether somebody reads the text. */
const isRead = (element: Element) =>
  !element.closest(EXEMPT) &&
  element.getBoundingClientRect().width > 0 &&
  getComputedStyle(element).visibility !== "hidden";
