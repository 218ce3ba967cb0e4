/** Sizes of chips, known before they are drawn. */
import { textWidth } from "../textwidth";
import type { Notes } from "./annotate";

export const ROW = 32;
export const GAP = 6;
/** Room for the focus ring around the chips. */
export const PAD = 4;
/** A longer term is cut on the screen, and whole in its title. */
export const WIDEST = 260;
/** Padding, borders and the cross; then the warning sign. */
const AROUND = 38;
const SIGN = 19;
/** Fractions of pixels in which drawn and measured text differ. */
const SLACK = 2;

const plain = new Map<string, number>();
const bold = new Map<string, number>();
let measuredIn = "";

/** Widths of chips in pixels, in the order of `which` (all terms when null). */
export function chipWidths(
  terms: readonly string[],
  notes: Notes,
  which: readonly number[] | null,
  font: string,
): Float32Array {
  if (font !== measuredIn || plain.size + bold.size > 50_000) {
    plain.clear();
    bold.clear();
    measuredIn = font;
  }
  const count = which?.length ?? terms.length;
  const widths = new Float32Array(count);
  for (let k = 0; k < count; k++) {
    const i = which ? which[k]! : k;
    const marked = notes.at.has(i);
    const around = marked ? AROUND + SIGN : AROUND;
    widths[k] = Math.min(WIDEST, Math.ceil(measured(terms[i]!, marked)) + around + SLACK);
  }
  return widths;
}

function measured(term: string, marked: boolean): number {
  const cache = marked ? bold : plain;
  let width = cache.get(term);
  if (width === undefined) {
    // The rest of a very long one would not be seen anyway.
    width = textWidth(term.length > 120 ? term.slice(0, 120) : term, 13, marked);
    cache.set(term, width);
  }
  return width;
}
