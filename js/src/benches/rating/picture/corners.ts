/** Shares of three values as places in a triangle, and what the keys do there. */
import type { MatrixRow } from "../../../generated/rating";
import { clamp } from "../../../lib/scale";

export interface Place {
  x: number;
  y: number;
}

/** The triangle: places of all of the first, of the second, and of the third value. */
export interface Corners {
  width: number;
  height: number;
  left: Place;
  right: Place;
  top: Place;
  /** Numbers of the values at the left, at the right and at the top. */
  order: readonly number[];
}

export const MOST_WIDTH = 310;
const ROOF = 40;
const SIDE = 26;
/** Below the triangle: names of its corners, and below these room for what ends there. */
export const NAMES = 32;
const FLOOR = 28;

export function cornersIn(width: number, order: readonly number[]): Corners {
  const base = width - 2 * SIDE - 12;
  const high = Math.round(base * 0.8);
  return {
    width,
    height: ROOF + high + NAMES + FLOOR,
    left: { x: SIDE + 2, y: ROOF + high },
    right: { x: width - SIDE - 10, y: ROOF + high },
    top: { x: SIDE + 2 + base / 2, y: ROOF },
    order,
  };
}

const mix = (parts: readonly (readonly [number, Place])[]): Place => ({
  x: parts.reduce((sum, [share, at]) => sum + share * at.x, 0),
  y: parts.reduce((sum, [share, at]) => sum + share * at.y, 0),
});

/** Where shares lie; those that do not sum to 1 yet lie where they would if they were scaled. */
export function placeOf(shares: readonly number[], { left, right, top, order }: Corners): Place {
  const sum = shares.reduce((one, other) => one + other, 0) || 1;
  const parts = order.map((value) => (shares[value] ?? 0) / sum);
  const [a, b, c] = parts as [number, number, number];
  return mix([
    [a, left],
    [b, right],
    [c, top],
  ]);
}

/** Nearer than this to an edge, a place is on it. */
const EDGE = 0.025;

/** The shares at a place, in per cent steps that sum to 1; outside they are those of the edge. */
export function sharesAt({ x, y }: Place, { left, right, top, order }: Corners): number[] {
  const high = left.y - top.y;
  const third = clamp((left.y - y) / high, 0, 1);
  const [from, to] = [left.x + (top.x - left.x) * third, right.x + (top.x - right.x) * third];
  const along = to - from < 1 ? 0.5 : clamp((x - from) / (to - from), 0, 1);
  return inOrder([(1 - third) * (1 - along), (1 - third) * along, third], order);
}

/** Whole per cent, in the order of the values; what is hardly anything is nothing. */
function inOrder(parts: readonly number[], order: readonly number[]): number[] {
  const c = parts[2]! < EDGE ? 0 : Math.round(100 * parts[2]!);
  const rest = parts[0]! + parts[1]!;
  const second = rest > 0 ? parts[1]! / rest : 0.5;
  const b = Math.round((100 - c) * second);
  const shares = [0, 0, 0];
  [100 - c - b, b, c].forEach((percent, i) => {
    shares[order[i]!] = percent / 100;
  });
  return shares;
}

interface Key {
  key: string;
  shiftKey: boolean;
}

/**
 * Where a key moves a point: left and right between the first two values, up and down to and from
 * the third; by 1, with Shift by 10 per cent. Null for any other key.
 */
export function movedBy(
  { key, shiftKey }: Key,
  shares: readonly number[],
  order: readonly number[],
): number[] | null {
  const by = shiftKey ? 10 : 1;
  const [a, b, c] = order.map((value) => Math.round(100 * (shares[value] ?? 0))) as [
    number,
    number,
    number,
  ];
  const back = (parts: readonly number[]) => {
    const moved = [0, 0, 0];
    parts.forEach((percent, i) => {
      moved[order[i]!] = percent / 100;
    });
    return moved;
  };
  const aside = (step: number) => {
    const second = clamp(b + step, 0, a + b);
    return back([a + b - second, second, c]);
  };
  const up = (step: number) => {
    const third = clamp(c + step, 0, 100);
    const second = a + b > 0 ? Math.round(((100 - third) * b) / (a + b)) : 0;
    const even = a + b > 0 ? second : Math.floor((100 - third) / 2);
    return back([100 - third - even, even, third]);
  };
  if (key === "ArrowRight") return aside(by);
  if (key === "ArrowLeft") return aside(-by);
  if (key === "ArrowUp") return up(by);
  if (key === "ArrowDown") return up(-by);
  if (key === "Home") return back([a + b, 0, c]);
  if (key === "End") return back([0, a + b, c]);
  if (key === "n" || key === "N") return back([a + b - ((a + b) >> 1), (a + b) >> 1, c]);
  return null;
}

/** Languages whose blocks end in the same places. */
export interface Ends {
  rows: readonly MatrixRow[];
  points: readonly (readonly number[] | null)[];
  /** What all its blocks do, in a word. */
  note: string;
}

const SAME = 0.04;
const near = (a: readonly number[] | null | undefined, b: readonly number[] | null | undefined) =>
  a === b || (!!a && !!b && a.every((share, i) => Math.abs(share - (b[i] ?? 0)) <= SAME));

const COUNTED = ["", "the block ends", "both blocks end", "all three blocks end"];

/** Rows of the matrix whose arrows are the same, the chosen one's first. */
export function endsOf(
  rows: readonly MatrixRow[],
  inputs: readonly (readonly number[])[],
  chosen: string,
): Ends[] {
  const groups: MatrixRow[][] = [];
  for (const row of rows) {
    if (!row.points.some(Boolean)) continue;
    // Blocks that have no answer yet do not keep languages apart.
    const same = groups.find((group) =>
      inputs.every((_, i) => {
        const [a, b] = [group[0]!.points[i], row.points[i]];
        return !a || !b || near(a, b);
      }),
    );
    if (same) same.push(row);
    else groups.push([row]);
  }
  const answered = (row: MatrixRow) => row.points.filter(Boolean).length;
  for (const group of groups) group.sort((a, b) => answered(b) - answered(a));
  const has = (group: MatrixRow[]) => group.some((row) => row.language === chosen);
  groups.sort((a, b) => Number(has(b)) - Number(has(a)) || b.length - a.length);
  return groups.map((group) => {
    const { points } = group[0]!;
    return { rows: group, points, note: noteOf(points, inputs) };
  });
}

function noteOf(
  points: readonly (readonly number[] | null)[],
  inputs: readonly (readonly number[])[],
): string {
  if (inputs.every((input, i) => near(points[i], input))) return "stays put";
  if (inputs.length > 1 && points.length === inputs.length) {
    const [first] = points;
    if (first && points.every((point) => near(point, first)))
      return `${COUNTED[inputs.length] ?? `all ${inputs.length} blocks end`} here`;
  }
  return "";
}
