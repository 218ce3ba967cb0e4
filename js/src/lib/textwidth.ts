/** Widths of text before it is drawn, to decide on which side of a mark it fits. */

let pen: CanvasRenderingContext2D | null = null;
let family = "";

/** Measures from now on in the font of an element; returns that font. */
export function measureAs(element: Element): string {
  family = getComputedStyle(element).fontFamily;
  pen ??= document.createElement("canvas").getContext("2d");
  return family;
}

export function textWidth(text: string, size: number, bold = false): number {
  if (!pen || !family) return estimate(text, size, bold);
  pen.font = `${bold ? 600 : 400} ${size}px ${family}`;
  return pen.measureText(text).width;
}

const NARROW = /[ijl.,:;'|!()[\] ftrI\u00a0]/;
const WIDE = /[mwMWN%αΔ—]/;

/** Where nothing can be measured: widths of a common sans-serif font. */
function estimate(text: string, size: number, bold: boolean): number {
  let em = 0;
  for (const c of text) em += NARROW.test(c) ? 0.32 : WIDE.test(c) ? 0.86 : 0.57;
  return em * size * (bold ? 1.06 : 1);
}

/** Breaks text into lines of at most `width` pixels. */
export function wrap(text: string, size: number, width: number, bold = false): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    if (line && textWidth(longer, size, bold) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  if (line) lines.push(line);
  return lines;
}

/** A text cut to a width, with an ellipsis where it was cut. */
export function fit(text: string, size: number, width: number, bold = false): string {
  if (textWidth(text, size, bold) <= width) return text;
  const letters = [...text];
  let low = 0;
  let high = Math.min(letters.length, 200);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const cut = `${letters.slice(0, middle).join("")}…`;
    if (textWidth(cut, size, bold) <= width) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join("").trimEnd()}…`;
}
