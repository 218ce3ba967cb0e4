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
  let found = [];
  // Where pieces begin that repeat, in order, and the number of the piece at each.
  let starts = Int32Array.from({ length: text.length }, (_, i) => i);
  let numbers = starts.map((i) => text.charCodeAt(i));
  for (let length = 2; length <= LONGEST && starts.length > 0; length++) {
    const pieces = new Map();
    const first = [];
    const count = [];
    const end = [];
    starts = starts.filter((start) => start + length <= text.length);
    numbers = starts.map((start, n) => {
      // A piece is its beginning, which has a number, and one character more.
      const key = numbers[n] * 65536 + text.charCodeAt(start + length - 1);
      let number = pieces.get(key);
      if (number === undefined) {
        number = pieces.size;
        pieces.set(key, number);
        first.push(start);
        count.push(0);
        end.push(0);
      }
      // Occurrences that overlap count once.
      if (end[number] <= start) {
        count[number]++;
        end[number] = start + length;
      }
      return number;
    });
    const least = found.length < AT_ONCE ? 1 : found[AT_ONCE - 1][0];
    count.forEach((times, number) => {
      const saved = (times - 1) * (length - 1) - 4;
      if (saved >= least) found.push([saved, text.slice(first[number], first[number] + length)]);
    });
    found.sort((a, b) => b[0] - a[0] || (a[1] < b[1] ? -1 : 1));
    found = found.slice(0, AT_ONCE);
    // A longer piece repeats only where its beginning does.
    const repeats = (_, n) => count[numbers[n]] > 1;
    [starts, numbers] = [starts.filter(repeats), numbers.filter(repeats)];
  }
  return found.map(([, piece]) => piece);
}
