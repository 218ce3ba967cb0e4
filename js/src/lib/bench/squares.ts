/**
 * Rows of squares, one per thing that was scored: where each lies, and where keys and pointer lead.
 *
 * A row is a text with a letter per square, so that one that has not changed is not drawn again.
 */

/**
 * `C`, `B` and `A` are with, from strong to weak; `c`, `b` and `a` against; `t` is a tie, `f` a
 * failure, `-` not scored yet.
 */
export type Tone = "A" | "B" | "C" | "a" | "b" | "c" | "t" | "f" | "-";

export interface SquareRow {
  key: string;
  /** A tone per square. */
  tones: string;
  /** For each square `1` when it is left out by a filter; empty when none is. */
  faded: string;
  /** Where its first line begins, in CSS pixels. */
  top: number;
}

export interface Cell {
  row: number;
  at: number;
}

export interface Raster {
  /** Squares in a line. */
  columns: number;
  /** From one square to the next, and how large one is, in CSS pixels. */
  pitch: number;
  side: number;
}

/** The shade of signed log-odds, or of what else came of a pair. */
export function toneOf(
  value: number | null | undefined,
  outcome: string,
  [low, high]: readonly [number, number],
): Tone {
  if (outcome === "t" || outcome === "f") return outcome;
  if (value === null || value === undefined || outcome === "-") return "-";
  const size = Math.abs(value);
  const step = size >= high ? 2 : size >= low ? 1 : 0;
  return (value > 0 ? "ABC" : "abc")[step] as Tone;
}

/** Sizes of squares, the larger first: as few lines as there is room for. */
const SIZES = [
  { pitch: 16, side: 13 },
  { pitch: 12, side: 10 },
  { pitch: 9, side: 7 },
] as const;

type Size = Pick<Raster, "pitch" | "side">;

/** The largest squares with which `most` of them take no more than `lines` lines of `width`. */
export function rasterFor(
  width: number,
  most: number,
  lines = 4,
  larger: readonly Size[] = [],
): Raster {
  const fitting = [...larger, ...SIZES].map((size) => ({
    ...size,
    columns: Math.max(1, Math.floor((width + size.pitch - size.side) / size.pitch)),
  }));
  return fitting.find((r) => Math.ceil(most / r.columns) <= lines) ?? fitting.at(-1)!;
}

export const linesOf = (count: number, { columns }: Raster) =>
  Math.max(1, Math.ceil(count / columns));

export const rowHeight = (count: number, raster: Raster) =>
  (linesOf(count, raster) - 1) * raster.pitch + raster.side;

export function placeOf({ columns, pitch }: Raster, top: number, at: number) {
  return { x: (at % columns) * pitch, y: top + Math.floor(at / columns) * pitch };
}

/** The square under a place, in CSS pixels from the corner; null between them and beside them. */
export function cellAt(rows: readonly SquareRow[], raster: Raster, x: number, y: number) {
  const { pitch, columns } = raster;
  const column = Math.floor(x / pitch);
  if (column < 0 || column >= columns) return null;
  for (let row = 0; row < rows.length; row++) {
    const { top, tones } = rows[row]!;
    // Gaps belong to the square before them, so that the pointer flickers nowhere.
    if (y < top || y >= top + rowHeight(tones.length, raster) + pitch - raster.side) continue;
    const at = Math.floor((y - top) / pitch) * columns + column;
    return at < tones.length ? { row, at } : null;
  }
  return null;
}

const shown = (row: SquareRow, at: number) => row.faded[at] !== "1";

/** The square that the keys begin at: the first that a filter leaves; null where there is none. */
export function firstCell(rows: readonly SquareRow[]): Cell | null {
  for (let row = 0; row < rows.length; row++)
    for (let at = 0; at < rows[row]!.tones.length; at++)
      if (shown(rows[row]!, at)) return { row, at };
  return null;
}

/**
 * Where a key leads: left and right on through all rows, up and down by lines, Home and End in the
 * row, pages by five rows. Squares that a filter leaves out are passed over. Null for other keys.
 */
export function squareKey(
  key: string,
  from: Cell,
  rows: readonly SquareRow[],
  raster: Raster,
): Cell | null {
  const along = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (along) return next(rows, from, along) ?? from;
  const count = rows[from.row]?.tones.length ?? 0;
  if (key === "Home") return next(rows, { row: from.row, at: -1 }, 1) ?? from;
  if (key === "End") return next(rows, { row: from.row, at: count }, -1) ?? from;
  const { columns } = raster;
  const down = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (down) {
    const at = from.at + down * columns;
    if (at >= 0 && at < count) return nearest(rows, { row: from.row, at }) ?? from;
    return crossed(rows, from, down, raster) ?? from;
  }
  const pages = { PageDown: 5, PageUp: -5 }[key];
  if (!pages) return null;
  const row = Math.min(Math.max(from.row + pages, 0), rows.length - 1);
  return nearest(rows, { row, at: from.at }) ?? from;
}

/** The next square that a filter leaves, on through the rows. */
function next(rows: readonly SquareRow[], { row, at }: Cell, by: number): Cell | null {
  let [r, a] = [row, at + by];
  while (r >= 0 && r < rows.length) {
    const one = rows[r]!;
    for (; a >= 0 && a < one.tones.length; a += by) if (shown(one, a)) return { row: r, at: a };
    r += by;
    a = by > 0 ? 0 : (rows[r]?.tones.length ?? 0) - 1;
  }
  return null;
}

/** The line below or above in another row, in the same column. */
function crossed(rows: readonly SquareRow[], from: Cell, by: number, { columns }: Raster) {
  const column = from.at % columns;
  for (let row = from.row + by; row >= 0 && row < rows.length; row += by) {
    const count = rows[row]!.tones.length;
    const line = by > 0 ? 0 : Math.ceil(count / columns) - 1;
    const cell = nearest(rows, { row, at: line * columns + column });
    if (cell) return cell;
  }
  return null;
}

/** The square of a row that is nearest to a place in it. */
function nearest(rows: readonly SquareRow[], { row, at }: Cell): Cell | null {
  const one = rows[row];
  if (!one) return null;
  const last = one.tones.length - 1;
  const to = Math.min(Math.max(at, 0), last);
  for (let away = 0; away <= last; away++)
    for (const a of [to - away, to + away])
      if (a >= 0 && a <= last && shown(one, a)) return { row, at: a };
  return null;
}

/** The squares of a row by tone, as paths: few elements, however many squares. */
export function pathsOf(tones: string, faded: string, raster: Raster): Map<string, string> {
  const paths = new Map<string, string>();
  for (let at = 0; at < tones.length; at++) {
    const tone = tones[at] as Tone;
    const { x, y } = placeOf(raster, 0, at);
    const name = faded[at] === "1" ? `${tone} faded` : tone;
    paths.set(name, (paths.get(name) ?? "") + outline(tone, x, y, raster.side));
  }
  return paths;
}

/** Ties are smaller, for their line stands outside; failures are a cross. */
function outline(tone: Tone, x: number, y: number, side: number): string {
  if (tone === "f") {
    const inset = side > 8 ? 3 : 1;
    const d = side - 2 * inset;
    return `M${x + inset} ${y + inset}l${d} ${d}M${x + side - inset} ${y + inset}l${-d} ${d}`;
  }
  const inset = tone === "t" ? 0.75 : 0;
  const r = side > 8 ? 2.5 : 1.5;
  const w = side - 2 * inset - 2 * r;
  return (
    `M${x + inset + r} ${y + inset}h${w}a${r} ${r} 0 0 1 ${r} ${r}v${w}a${r} ${r} 0 0 1 ${-r} ${r}` +
    `h${-w}a${r} ${r} 0 0 1 ${-r} ${-r}v${-w}a${r} ${r} 0 0 1 ${r} ${-r}Z`
  );
}
