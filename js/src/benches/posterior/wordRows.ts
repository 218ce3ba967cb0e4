/** Where the words' rows and the groups' strips stand, in CSS pixels: one axis for both. */
import type { Groups, WordRow, Words } from "../../generated/posterior";
import { type Columns, columnsFor, type Row } from "../../lib/chart/Forest";
import type { Shape } from "../../lib/chart/marks";
import { domainOver, linear, type Scale } from "../../lib/scale";
import { distanceText } from "./texts";

export const HEAD = 24;
export const ROW = 19;
const GAP = 12;
const NARROW = 400;
export const GROUP = 32;

export interface WordLine extends Row {
  of: WordRow;
  part: "closest" | "picked" | "farthest";
}

export interface WordRows {
  rows: WordLine[];
  parts: { text: string; y: number }[];
  height: number;
}

/** Round where the lexicon says positive, square where negative, a ring where it says nothing. */
const tone = (polarity: number | null) => (!polarity ? 0 : polarity > 0 ? 1 : 2);
const SHAPES: readonly Shape[] = ["ring", "circle", "square"];

/** How a word's mark looks. */
export const toneOfWord = ({ polarity }: WordRow) => ({
  look: `tone-${tone(polarity)}`,
  shape: SHAPES[tone(polarity)]!,
});

export const isNarrow = (width: number) => width < NARROW;

/** The closest words, the picked one where it is not among them, and the most distant. */
export function wordRows(words: Words | null, expected: number, narrow: boolean): WordRows {
  const closest = words?.closest ?? [];
  const farthest = words?.farthest ?? [];
  const picked = words?.picked ?? null;
  const among = [...closest, ...farthest].some((row) => row.word === picked?.word);
  const rows: WordLine[] = [];
  const parts: WordRows["parts"] = [];
  let y = HEAD + ROW / 2;
  const add = (text: string, part: WordLine["part"], found: readonly WordRow[], room: number) => {
    parts.push({ text, y });
    if (narrow) y += ROW;
    found.forEach((row, i) => {
      rows.push(lineOf(row, part, y + i * ROW));
    });
    y += ROW * Math.max(room, found.length);
  };
  add("Closest", "closest", closest, expected);
  y += GAP / 2;
  // Its place is kept: the rows below do not move when a word is picked.
  if (picked && !among) rows.push(lineOf(picked, "picked", y));
  y += ROW + GAP / 2;
  add("Most distant", "farthest", farthest, expected);
  return { rows, parts, height: y - HEAD - ROW / 2 + 6 };
}

function lineOf(of: WordRow, part: WordLine["part"], y: number): WordLine {
  const { word, distance, low, high, rank } = of;
  const data = { testid: "word-mark", word, distance, low, high, rank };
  const texts = [distanceText(of)];
  const mark = { value: distance, low, high, ...toneOfWord(of), texts, data };
  return { of, part, name: word, y, marks: [mark] };
}

/** Columns of the rows; narrow, their parts are named above them. */
export const wordColumns = (width: number, { rows }: WordRows): Columns =>
  isNarrow(width)
    ? columnsFor(width, rows, { least: 48, most: 108 })
    : columnsFor(width, rows, { before: 78, least: 48, most: 124 });

/** An axis that holds every interval and the neutral distance. */
export function distanceScale(words: Words | null, groups: Groups | null, columns: Columns): Scale {
  const rows = words ? [...words.closest, ...words.farthest] : [];
  if (words?.picked) rows.push(words.picked);
  const values = [
    words?.neutral,
    ...rows.flatMap((row) => [row.low, row.high, row.distance]),
    ...(groups?.rows ?? []).flatMap((group) => [
      group.low,
      group.high,
      ...group.members.map((m) => m.distance),
    ]),
  ];
  const domain = words ? domainOver(values, 0.06) : ([0.48, 0.52] as const);
  return linear(domain, [columns.left, columns.right]);
}

/** The row at a height. */
export const rowAt = ({ rows }: WordRows, at: number): WordLine | null =>
  rows.find(({ y }) => at >= y - ROW / 2 && at < y + ROW / 2) ?? null;

export const groupTop = (i: number) => 10 + i * GROUP;
export const groupsHeight = (n: number) => groupTop(Math.max(2, n)) + 4;
