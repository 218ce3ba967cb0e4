/** Where things stand in the rows of protected words, in CSS pixels. */
import type { Protected } from "../../generated/association";
import { type Columns, columnsFor, type Row } from "../../lib/chart/Forest";
import { linear, type Scale } from "../../lib/scale";
import { LABELS } from "./marks";

export const HEAD = 36;
export const FOOT = 44;
const GROUP = 24;
export const WORD = 27;
/** Room kept before there is any word. */
const FEWEST = 220;

export interface WordRow extends Row {
  index: number;
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
    rows.words.push({ index, name: word, top, y: top + WORD / 2 });
    top += WORD;
  });
  rows.height = Math.max(top, FEWEST);
  return rows;
}

/** From the middle of a word's row to the lane of one of `n` connection types. */
export const laneDy = (lane: number, n: number) =>
  ((WORD - 3) / Math.max(n, 2)) * (lane - (n - 1) / 2);

export const laneY = ({ y }: WordRow, lane: number, n: number) => y + laneDy(lane, n);

export const laneHeight = (n: number) => (WORD - 3) / Math.max(n, 2) - 1;

/** Left of the plot stand the words; in the third step the connection types. */
export function columnsOf(width: number, { words }: Rows): Columns {
  const types = Object.values(LABELS).map((name) => ({ name }));
  return columnsFor(width, [...words, ...types], { least: 60, most: width < 380 ? 92 : 116 });
}

/** The axis, widened where it would not hold the neutral value. */
export function holding(domain: readonly [number, number], neutral: number): [number, number] {
  const [low, high] = domain;
  if (!(high > low)) return [neutral - 1, neutral + 1];
  const pad = 0.04 * (high - low);
  return [Math.min(low, neutral - pad), Math.max(high, neutral + pad)];
}

export const scaleOf = (domain: readonly [number, number], { left, right }: Columns): Scale =>
  linear(domain, [left, right]);

/** The row and the lane at a height; null between rows. */
export function placeAt(rows: Rows, y: number, n: number): { word: number; lane: number } | null {
  const row = rows.words.find((r) => y >= r.top && y < r.top + WORD);
  if (!row) return null;
  const lane = Math.floor((y - row.top) / (WORD / Math.max(n, 1)));
  return { word: row.index, lane: Math.min(Math.max(lane, 0), n - 1) };
}
