/** Both versions of a pair, word over word, broken into lines of a width. */
import type { Word } from "../../../generated/sentences";
import { textWidth } from "../../../lib/textwidth";
import { signed } from "../texts";

export interface Column {
  word: Word;
  /** What the model finds in favour of the stereotyped version here; null where it counts not. */
  difference: number | null;
  /** The difference as text, where it is large enough to be read. */
  text: string;
  width: number;
}

const PAD = 18;
const LEAST = 26;
/** Smaller than this share of the largest, a difference gets no number. */
const READ = 0.15;

/** Columns of the words for one of the models. */
export function columnsOf(words: readonly Word[], model: number): Column[] {
  const differences = words.map((word) => word.values[model]?.[2] ?? null);
  const most = Math.max(...differences.map((d) => Math.abs(d ?? 0)), 1e-9);
  return words.map((word, i) => {
    const difference = differences[i]!;
    const read = difference !== null && Math.abs(difference) >= READ * most;
    const text = read ? signed(difference) : "";
    const widest = Math.max(
      textWidth(word.first, 13, true),
      textWidth(word.second, 13, true),
      textWidth(text, 11) - 4,
    );
    return { word, difference, text, width: Math.max(LEAST, Math.ceil(widest) + PAD) };
  });
}

export function linesOf(columns: readonly Column[], width: number): Column[][] {
  const lines: Column[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const column of columns) {
    if (used + column.width > width) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)!.push(column);
    used += column.width;
  }
  return lines;
}

export const largest = (columns: readonly Column[]) =>
  Math.max(...columns.map((c) => Math.abs(c.difference ?? 0)), 1e-9);
