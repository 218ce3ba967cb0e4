/** Where the words' rows and the groups' strips stand, in CSS pixels: one axis for both. */
import type { Groups, WordRow, Words } from "../../generated/posterior";
import { linear, type Scale } from "../../lib/scale";
import { textWidth } from "../../lib/textwidth";

export const HEAD = 24;
const ROW = 19;
const GAP = 12;
const NARROW = 400;
export const GROUP = 32;

export interface Row {
  row: WordRow;
  top: number;
  part: "closest" | "picked" | "farthest";
}

export interface WordRows {
  rows: Row[];
  parts: { text: string; top: number }[];
  height: number;
}

export interface WordGeometry {
  width: number;
  narrow: boolean;
  nameRight: number;
  nameWidth: number;
  left: number;
  right: number;
}

/** The closest words, the picked one where it is not among them, and the most distant. */
export function wordRows(words: Words | null, expected: number, narrow: boolean): WordRows {
  const closest = words?.closest ?? [];
  const farthest = words?.farthest ?? [];
  const picked = words?.picked ?? null;
  const among = [...closest, ...farthest].some((row) => row.word === picked?.word);
  const rows: Row[] = [];
  const parts: WordRows["parts"] = [];
  let top = 0;
  const add = (text: string, part: Row["part"], found: readonly WordRow[], room: number) => {
    parts.push({ text, top });
    if (narrow) top += ROW;
    found.forEach((row, i) => {
      rows.push({ row, part, top: top + i * ROW });
    });
    top += ROW * Math.max(room, found.length);
  };
  add("Closest", "closest", closest, expected);
  top += GAP / 2;
  // Its place is kept: the rows below do not move when a word is picked.
  if (picked && !among) rows.push({ row: picked, part: "picked", top });
  top += ROW + GAP / 2;
  add("Most distant", "farthest", farthest, expected);
  return { rows, parts, height: top + 6 };
}

export function wordGeometry(width: number, names: readonly string[]): WordGeometry {
  const narrow = width < NARROW;
  const parts = narrow ? 0 : 78;
  const longest = Math.max(48, ...names.map((name) => textWidth(name, 12, true)));
  const nameWidth = Math.min(longest + 2, narrow ? 108 : 124);
  const nameRight = parts + nameWidth;
  return { width, narrow, nameRight, nameWidth, left: nameRight + 14, right: width - 58 };
}

/** An axis that holds every interval and the neutral distance. */
export function distanceScale(words: Words | null, groups: Groups | null, g: WordGeometry): Scale {
  const rows = words ? [...words.closest, ...words.farthest] : [];
  if (words?.picked) rows.push(words.picked);
  const values = [
    ...rows.flatMap((row) => [row.low, row.high, row.distance]),
    ...(groups?.rows ?? []).flatMap((group) => [
      group.low,
      group.high,
      ...group.members.map((m) => m.distance),
    ]),
    ...(words?.neutral === null || words?.neutral === undefined ? [] : [words.neutral]),
  ].filter(Number.isFinite);
  const [low, high] = values.length > 1 ? [Math.min(...values), Math.max(...values)] : [0.48, 0.52];
  const pad = 0.06 * (high - low) || 0.01;
  return linear([low - pad, high + pad], [g.left, g.right]);
}

/** The row at a height. */
export const rowAt = ({ rows }: WordRows, y: number): Row | null =>
  rows.find(({ top }) => y >= top && y < top + ROW) ?? null;

export const rowBand = (top: number) => ({ y: top, height: ROW });
export const rowMiddle = (top: number) => top + ROW / 2;

export const groupTop = (i: number) => 10 + i * GROUP;
export const groupsHeight = (n: number) => groupTop(Math.max(2, n)) + 4;
