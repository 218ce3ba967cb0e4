// Style sheets in less room: what repeats becomes a letter that the text does not have.
//
// A module is stored as it is in every notebook that shows it, and a fifth of it is styles, which
// repeat themselves: "color:var(--ink-2)". src/lib/unpack.ts turns the letters back.

/** Characters that may stand for a piece: of one byte, and written in no text with a backslash. */
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ!&*+/=>?@^_|~"];
const LONGEST = 40;
/** Pieces that are chosen from one count. */
const AT_ONCE = 3;

/**
 * The text in which pieces are letters, and the pieces in the order in which they were taken: each
 * with its letter before it, between separators, of which the first character is one.
 */
export function pack(text) {
  const [separator, ...free] = LETTERS.filter((letter) => !text.includes(letter));
  if (!separator) return ["", text];
  let pieces = "";
  let packed = text;
  while (free.length > 0) {
    const found = best(packed);
    if (found.length === 0) break;
    for (const piece of found) {
      if (free.length === 0 || packed.split(piece).length < 3) continue;
      const letter = free.shift();
      packed = packed.replaceAll(piece, letter);
      pieces += separator + letter + piece;
    }
  }
  return [pieces, packed];
}

/** The pieces that save most. */
function best(text) {
  const found = [];
  for (let length = 2; length <= LONGEST; length++) {
    const counts = new Map();
    for (let i = 0; i + length <= text.length; i++) {
      const piece = text.slice(i, i + length);
      const one = counts.get(piece);
      if (!one) counts.set(piece, { count: 1, end: i + length });
      // Occurrences that overlap count once.
      else if (one.end <= i) Object.assign(one, { count: one.count + 1, end: i + length });
    }
    let repeats = false;
    for (const [piece, { count }] of counts) {
      if (count < 2) continue;
      repeats = true;
      const saved = (count - 1) * (length - 1) - 4;
      if (saved > 0) found.push([saved, piece]);
    }
    if (!repeats) break;
  }
  found.sort((a, b) => b[0] - a[0] || (a[1] < b[1] ? -1 : 1));
  return found.slice(0, AT_ONCE).map(([, piece]) => piece);
}
