/** Where bars and squares of the models stand: beside each other while there is room. */
import { type Raster, rasterFor, rowHeight } from "../../../lib/bench/squares";
import { linear } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import type { Section } from "./rows";

/** Names of the models, and the axis above the bars. */
export const HEAD = 40;
const SECTION = 30;
const ROW = 22;
const GAP = 26;
const LEAST = 290;
/** From one of the largest squares to the next. */
const LARGEST = 16;
/** What stands above the squares. */
const HEADING = 116;

export interface Geometry {
  width: number;
  /** Right end of the attributes' names. */
  label: number;
  /** Models beside each other. */
  perLine: number;
  /** Left ends of the bars and of the squares, per place in a line. */
  bars: number[];
  grids: number[];
  barWidth: number;
  gridWidth: number;
  raster: Raster;
}

export function geometry(width: number, models: number, sections: readonly Section[]): Geometry {
  const rows = sections.flatMap((s) => s.rows);
  const longest = Math.max(40, ...rows.map((row) => textWidth(row.name, 12, true)));
  const label = Math.min(longest + 14, width < 520 ? 92 : 150);
  const room = width - label - 16;
  const perLine = Math.max(1, Math.min(models, Math.floor((room + GAP) / (LEAST + GAP))));
  const panel = (room - GAP * (perLine - 1)) / perLine;
  const between = width < 520 ? 16 : 30;
  const most = Math.max(1, ...rows.map((row) => row.ids.length));
  // Squares take what they need in one line, and the bars the rest; many squares nearly all.
  const needed = Math.max(most * LARGEST, HEADING);
  const rest = needed <= 0.56 * panel ? panel - between - needed : 110;
  const barWidth = Math.round(Math.min(Math.max(rest, 84), 420));
  const gridWidth = Math.floor(panel - barWidth - between);
  const bars = Array.from({ length: perLine }, (_, i) => label + 16 + i * (panel + GAP));
  return {
    width,
    label,
    perLine,
    bars,
    grids: bars.map((x) => Math.round(x + barWidth + between)),
    barWidth,
    gridWidth,
    raster: rasterFor(gridWidth, most),
  };
}

export interface Rows {
  /** Where the squares of each row begin, from below the head. */
  tops: number[];
  /** Where a row is in the middle of its first line. */
  middles: number[];
  heads: { name: string; group: number; y: number }[];
  height: number;
}

export function rowsIn(sections: readonly Section[], { raster }: Geometry): Rows {
  const made: Rows = { tops: [], middles: [], heads: [], height: 0 };
  let y = 0;
  for (const { name, group, rows } of sections) {
    if (name) {
      made.heads.push({ name, group, y: y + 18 });
      y += SECTION;
    }
    for (const row of rows) {
      const high = rowHeight(row.ids.length, raster);
      const pad = Math.max(ROW - raster.side, 5);
      made.tops.push(Math.round(y + pad / 2));
      made.middles.push(Math.round(y + pad / 2 + raster.side / 2));
      y += high + pad;
    }
    y += 6;
  }
  made.height = y + 4;
  return made;
}

export const shareScale = (left: number, width: number) => linear([0, 1], [left, left + width]);

/** Models in lines of as many as stand beside each other. */
export function linesOfModels<T>(models: readonly T[], perLine: number): T[][] {
  const lines: T[][] = [];
  for (let i = 0; i < models.length; i += perLine) lines.push(models.slice(i, i + perLine));
  return lines;
}
