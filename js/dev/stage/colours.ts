/** Whether texts stand out from their ground: WCAG's contrast. */
import { named } from "./elements";

/** Texts that nobody reads in this place: copies, and what can't be used now. */
const EXEMPT = ".visually-hidden, .whole-figure, .ghost, :disabled, [aria-disabled], option";
const ENOUGH = 4.5;

type Colour = number[];

function channels(colour: string): Colour {
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

/** The plate or pill that was drawn before a text, around it. */
function under(element: SVGElement): Element | null {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  for (let at = element.previousElementSibling; at; at = at.previousElementSibling) {
    if (at.localName !== "rect") continue;
    const { fill, fillOpacity, opacity } = getComputedStyle(at);
    if (fill === "none" || Number(fillOpacity) * Number(opacity) < 1) continue;
    const box = at.getBoundingClientRect();
    if (box.left <= left && right <= box.right && box.top <= top + 2 && bottom - 2 <= box.bottom)
      return at;
  }
  return null;
}

/** Texts of less contrast than is enough, and how much they have. */
export function faint(root: Element): string[] {
  const grounds = new Map<Element, Colour>();
  const ground = (element: Element | null): Colour => {
    if (!element) return [255, 255, 255];
    const known = grounds.get(element);
    if (known) return known;
    const shape = element instanceof SVGElement ? under(element) : null;
    const { backgroundColor, fill } = getComputedStyle(shape ?? element);
    const own = channels(shape ? fill : backgroundColor);
    const opaque = own.length === 3 || own[3]! > 0.99;
    const found = opaque ? own : over(own, ground(element.parentElement));
    grounds.set(element, found);
    return found;
  };
  const found: string[] = [];
  for (const element of root.querySelectorAll("*")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent!.trim());
    if (!own || element.closest(EXEMPT) || element.getBoundingClientRect().width === 0) continue;
    const style = getComputedStyle(element);
    const ink = channels(element instanceof SVGElement ? style.fill : style.color);
    if (ink.length < 3 || style.visibility === "hidden") continue;
    const behind = ground(element);
    const [a, b] = [light(over(ink, behind)), light(behind)].sort((x, y) => y - x);
    const ratio = (a! + 0.05) / (b! + 0.05);
    if (ratio < ENOUGH) found.push(`contrast ${ratio.toFixed(1)}: ${named(element)}`);
  }
  return found;
}
