/** Where names, squares, intervals and scores stand in a line of the results. */
import { linesOf, type Raster, rasterFor, rowHeight } from "../../../lib/bench/squares";
import { linear } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import type { Section } from "./rows";

/** Names of the groups, the axis above the rows. */
export const HEAD = 30;
/** The score of all pictures, and the legend. */
export const FOOT = 58;
const SECTION = 24;
/** Two lines of numbers. */
const LEAST = 34;
const SCORE = 60;
const LARGE = { pitch: 19, side: 16 };
const MIDDLE = { pitch: 16, side: 13 };
/** Between the squares and the axis. */
const GAP = 26;
/** What the legend under the squares takes. */
const LEGEND = 272;

export interface Geometry {
  width: number;
  /** Names stand above the squares. */
  small: boolean;
  /** Right end of the terms' names. */
  label: number;
  /** Left end of the squares. */
  grid: number;
  gridWidth: number;
  raster: Raster;
  /** Both ends of the axis, and the scores there. */
  axis: [number, number];
  domain: [number, number];
}

/** `ends` are all that must be seen on the axis. */
export function geometry(
  width: number,
  sections: readonly Section[],
  ends: readonly number[],
): Geometry {
  const rows = sections.flatMap((s) => s.rows);
  const small = width < 440;
  const longest = Math.max(
    40,
    ...rows.map((row) => textWidth(row.name, 12, true)),
    ...sections.map((section) => textWidth(section.name, 11)),
  );
  const label = small ? 0 : Math.min(longest + 4, 150);
  const grid = small ? 0 : label + 12;
  const least = small ? 84 : 112;
  const right = width - SCORE;
  const most = Math.max(1, ...rows.map((row) => row.ids.length));
  // Between two widths there may be no room for a moment.
  const room = Math.max(40, Math.floor(right - least - GAP - grid));
  const raster = evenRaster(room, most);
  const gridWidth = Math.min(room, Math.max(raster.columns * raster.pitch, small ? 0 : LEGEND));
  // The axis has what the squares leave.
  const axisWidth = Math.min(Math.max(right - grid - gridWidth - GAP, least), 260);
  const far = Math.max(...ends.map((end) => Math.abs(end - 0.5)));
  const half = [0.3, 0.4].find((most) => far <= most - 0.01) ?? 0.5;
  return {
    width,
    small,
    label,
    grid,
    gridWidth,
    raster,
    axis: [right - axisWidth, right],
    domain: [0.5 - half, 0.5 + half],
  };
}

/** Large squares in two lines where they fit so; else in up to four; all lines of one length. */
function evenRaster(width: number, most: number): Raster {
  const two = [LARGE, MIDDLE]
    .map((size) => ({ ...size, columns: Math.floor((width + 3) / size.pitch) }))
    .find(({ columns }) => most <= 2 * columns);
  const raster = two ?? rasterFor(width, most, 4, [LARGE]);
  return { ...raster, columns: Math.ceil(most / linesOf(most, raster)) };
}

export const scoreScale = ({ axis, domain }: Geometry) => linear(domain, axis);

export interface Rows {
  /** Where the squares of each row begin, from below the head. */
  tops: number[];
  /** Where a row is in the middle. */
  middles: number[];
  heads: { name: string; group: number; y: number }[];
  height: number;
}

export function rowsIn(sections: readonly Section[], { raster, small }: Geometry): Rows {
  const made: Rows = { tops: [], middles: [], heads: [], height: 0 };
  const pad = sections.flatMap((s) => s.rows).length > 10 ? 12 : 20;
  let y = 0;
  for (const { name, group, rows } of sections) {
    if (name) {
      made.heads.push({ name, group, y: y + 15 });
      y += SECTION;
    }
    for (const row of rows) {
      if (small) y += 17;
      const squares = rowHeight(row.ids.length, raster);
      const high = Math.max(squares, LEAST);
      made.tops.push(Math.round(y + (high - squares) / 2));
      made.middles.push(Math.round(y + high / 2));
      y += high + pad;
    }
  }
  made.height = y;
  return made;
}
