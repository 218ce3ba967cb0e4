/** Where things stand in the picture, in CSS pixels, for a given width. */

import { textWidth } from "../../lib/textwidth";

export interface Geometry {
  width: number;
  height: number;
  narrow: boolean;
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** The column of answers: left edge and width of its blocks. */
  column: number;
  block: number;
  corpusY: number;
  monteCarloY: number;
  pillY: number;
  axisY: number;
}

const NARROW = 520;
/** Over the column of answers, where it has a title. */
export const COLUMN_TITLE = "answers at";
const COLUMN_GAP = 18;
/** Between the names of the levels and the plot. */
export const LEVEL_GAP = 8;

export function geometry(width: number): Geometry {
  const narrow = width < NARROW;
  const left = Math.max(narrow ? 32 : 44, textWidth("100", 11) + LEVEL_GAP + 2);
  const besides = narrow ? 66 : Math.max(82, textWidth(COLUMN_TITLE, 11) + COLUMN_GAP + 2);
  const right = Math.max(left + 120, width - besides);
  const top = narrow ? 46 : 42;
  const bottom = top + (narrow ? 232 : 272);
  const corpusY = bottom + (narrow ? 22 : 30);
  const monteCarloY = corpusY + (narrow ? 42 : 20);
  const pillY = monteCarloY + (narrow ? 54 : 26);
  const axisY = pillY + 30;
  return {
    width,
    height: axisY + 56,
    narrow,
    left,
    right,
    top,
    bottom,
    column: right + (narrow ? 8 : COLUMN_GAP),
    block: narrow ? 11 : 13,
    corpusY,
    monteCarloY,
    pillY,
    axisY,
  };
}

/** Top and height of row `i` from the bottom, of `n`. */
export function rowBand(g: Geometry, i: number, n: number): { y: number; h: number } {
  const h = (g.bottom - g.top) / Math.max(1, n);
  return { y: g.bottom - (i + 1) * h, h };
}

/** Room between rows: thin rows give it up. */
export const rowGap = (height: number) => (height >= 6 ? 1 : height >= 3 ? 0.5 : 0);
