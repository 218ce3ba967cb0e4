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
}

/** Python counts characters where JavaScript counts halves of some: emoji are one. */
export function piecesOf(
  text: string,
  marks: readonly MarkedMention[],
  changed: readonly boolean[] = [],
  moved: readonly boolean[] = [],
): Piece[] {
  const letters = Array.from(text);
  const owner: number[] = letters.map(() => -1);
  marks.forEach(({ spans }, m) => {
    for (const [from, to] of spans) owner.fill(m, Math.max(from, 0), Math.max(to, 0));
  });
  const pieces: Piece[] = [];
  let last = -2;
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
