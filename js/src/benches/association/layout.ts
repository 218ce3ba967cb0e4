/** Where things stand in the rows of protected words, in CSS pixels. */
import type { Protected } from "../../generated/association";
import { linear, type Scale, tickStep, ticks } from "../../lib/scale";
import { textWidth } from "../../lib/textwidth";
import { LABELS } from "./marks";

export const HEAD = 36;
export const FOOT = 44;
const GROUP = 24;
const WORD = 27;
/** Room kept before there is any word. */
const FEWEST = 220;

export interface WordRow {
  index: number;
  word: string;
  group: string;
  top: number;
}

export interface Rows {
  groups: { name: string; top: number }[];
  words: WordRow[];
  height: number;
}

/** Words in their order; over the first word of each group stands the group's name. */
export function rowsOf(words: readonly Protected[]): Rows {
  const rows: Rows = { groups: [], words: [], height: 0 };
  let top = 0;
  let last: string | null = null;
  words.forEach(({ word, group }, index) => {
    if (group !== last) {
      rows.groups.push({ name: group, top });
      top += GROUP;
      last = group;
    }
    rows.words.push({ index, word, group, top });
    top += WORD;
  });
  rows.height = Math.max(top, FEWEST);
  return rows;
}

/** Middle of the lane of one of `n` connection types in a word's row. */
export function laneY(row: WordRow, lane: number, n: number): number {
  const step = (WORD - 3) / Math.max(n, 2);
  return row.top + 1.5 + step * (lane + 0.5);
}

export const laneHeight = (n: number) => (WORD - 3) / Math.max(n, 2) - 1;

export const rowBand = (row: WordRow) => ({ y: row.top, height: WORD });

export interface Geometry {
  width: number;
  nameWidth: number;
  left: number;
  right: number;
  narrow: boolean;
}

/** @param names - What stands left of the plot; the third step names the connection types there. */
export function geometry(width: number, names: readonly string[]): Geometry {
  const narrow = width < 380;
  const all = [...names, ...Object.values(LABELS)];
  const longest = Math.max(...all.map((name) => textWidth(name, 12)));
  const nameWidth = Math.min(Math.max(longest + 4, 60), narrow ? 92 : 116);
  return { width, nameWidth, left: nameWidth + 10, right: width - 12, narrow };
}

/** Ticks counted from the neutral value, so that it is always among them. */
export function axisTicks(domain: readonly [number, number], neutral: number, room: number) {
  const [low, high] = domain;
  const step = tickStep(low, high, Math.max(2, Math.floor(room / 58)));
  return ticks(low - neutral, high - neutral, step).map((t) =>
    Number((t + neutral).toPrecision(12)),
  );
}

/** The axis, widened where it would not hold the neutral value. */
export function holding(domain: readonly [number, number], neutral: number): [number, number] {
  const [low, high] = domain;
  if (!(high > low)) return [neutral - 1, neutral + 1];
  const pad = 0.04 * (high - low);
  return [Math.min(low, neutral - pad), Math.max(high, neutral + pad)];
}

export const scaleOf = (domain: readonly [number, number], g: Geometry): Scale =>
  linear(domain, [g.left, g.right]);

/** The row and the lane at a height; null between rows. */
export function placeAt(rows: Rows, y: number, n: number): { word: number; lane: number } | null {
  const row = rows.words.find((r) => y >= r.top && y < r.top + WORD);
  if (!row) return null;
  const lane = Math.floor((y - row.top) / (WORD / Math.max(n, 1)));
  return { word: row.index, lane: Math.min(Math.max(lane, 0), n - 1) };
}
