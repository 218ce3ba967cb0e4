/** Widths of text before it is drawn, close enough to decide on which side of a mark it fits. */

const NARROW = /[ijl.,:;'|!()[\] ftrI\u00a0]/;
const WIDE = /[mwMWN%αΔ—]/;

export function textWidth(text: string, size: number, bold = false): number {
  let em = 0;
  for (const c of text) em += NARROW.test(c) ? 0.32 : WIDE.test(c) ? 0.86 : 0.57;
  return em * size * (bold ? 1.06 : 1);
}

/** Breaks text into lines of at most `width` pixels. */
export function wrap(text: string, size: number, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    if (line && textWidth(longer, size) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  if (line) lines.push(line);
  return lines;
}
