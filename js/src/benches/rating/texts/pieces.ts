/** A text in pieces: what is marked in it, and how. */
import type { MarkedMention, TextRow } from "../../../generated/rating";

export interface Mark {
  /** Number of the value; −1 where it could not be read. */
  value: number;
  /** It is another value than was sent. */
  changed: boolean;
  /** The middle text already says another value than the source. */
  moved: boolean;
  reason: string;
}

export interface Piece {
  text: string;
  mark: Mark | null;
  /** A word that the source does not have at this place. */
  differs: boolean;
}

/** Of characters that belong to no mention. */
const [SAME, DIFFERS] = [-1, -2];

/** Python counts characters where JavaScript counts halves of some: emoji are one. */
export function piecesOf(
  text: string,
  marks: readonly MarkedMention[],
  changed: readonly boolean[] = [],
  moved: readonly boolean[] = [],
  source?: string,
): Piece[] {
  const letters = Array.from(text);
  const owner: number[] = letters.map(() => SAME);
  if (source !== undefined)
    for (const [from, to] of differing(source, text)) owner.fill(DIFFERS, from, to);
  marks.forEach(({ spans }, m) => {
    for (const [from, to] of spans) owner.fill(m, Math.max(from, 0), Math.max(to, 0));
  });
  const pieces: Piece[] = [];
  let last: number | null = null;
  letters.forEach((letter, i) => {
    const own = owner[i]!;
    if (own === last) {
      pieces.at(-1)!.text += letter;
      return;
    }
    last = own;
    const mention = own < 0 ? null : marks[own]!;
    pieces.push({
      text: letter,
      differs: own === DIFFERS,
      mark: mention && {
        value: mention.value,
        changed: changed[own] ?? false,
        moved: moved[own] ?? false,
        reason: mention.reason,
      },
    });
  });
  return pieces;
}

interface Word {
  text: string;
  from: number;
  to: number;
}

function wordsOf(text: string): Word[] {
  const length = (part: string) => Array.from(part).length;
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map((found) => {
    const from = length(text.slice(0, found.index));
    return { text: found[0].toLowerCase(), from, to: from + length(found[0]) };
  });
}

/** Shorter words, such as articles, follow the others: they are no news. */
const LEAST = 3;

/** Places of the words of a text that are not in the source in this order. */
export function differing(source: string, text: string): [number, number][] {
  const [a, b] = [wordsOf(source), wordsOf(text)];
  // How many words the rests of both have in common, from each place on.
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i]![j] =
        a[i]!.text === b[j]!.text
          ? common[i + 1]![j + 1]! + 1
          : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const spans: [number, number][] = [];
  let i = 0;
  for (let j = 0; j < b.length; j++) {
    while (i < a.length && a[i]!.text !== b[j]!.text && common[i + 1]![j]! === common[i]![j]!) i++;
    const word = b[j]!;
    if (i < a.length && a[i]!.text === word.text) i++;
    else if (word.to - word.from >= LEAST) spans.push([word.from, word.to]);
  }
  return spans;
}

/** Why mentions of a text could not be read, each reason once. */
export function reasonsOf(row: TextRow): string[] {
  const reasons = row.back_marks.flatMap(({ value, reason }) =>
    value < 0 ? [reason || "could not be read"] : [],
  );
  return [...new Set(row.failure ? [row.failure, ...reasons] : reasons)];
}

export const isChanged = (row: TextRow) => row.changed.some(Boolean);
export const isUnresolved = (row: TextRow) =>
  row.failure !== "" || row.back_marks.some((mark) => mark.value < 0);
