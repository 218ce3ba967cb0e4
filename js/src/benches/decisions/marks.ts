/** One mark per trial, stacked at its level: group 1 to the left of it, group 2 to the right. */

import type { Trials } from "../../generated/decisions";
import { px } from "../../lib/marks";
import type { Scale } from "../../lib/scale";
import type { Geometry } from "./layout";

export const NO = 0;
export const YES = 1;
export const CANNOT_SAY = 2;

/** Distance of two marks in a stack: as large as lets all of them fit. */
const PITCHES = [5.6, 5, 4.4, 3.8, 3.2, 2.7, 2.3, 2, 1.7, 1.4, 1.1, 0.9] as const;
const WIDEST = 20;
const LANE = 12;

export interface Placed {
  x: Float64Array;
  y: Float64Array;
  /** Diameter of a mark. */
  size: number;
}

/** Where each trial's mark stands. */
export function place(trials: Trials, g: Geometry, x: Scale, both: boolean): Placed {
  const n = trials.at.length;
  const stacks = new Map<string, number>();
  const levels = [...new Set(trials.at)].sort((a, b) => a - b);
  const gaps = levels.slice(1).map((level, i) => x(level) - x(levels[i]!));
  const room = Math.max(1.5, Math.min(WIDEST, ...gaps.map((gap) => gap / 2 - 0.5)));
  const keyOf = (i: number) => {
    const kind = Math.min(trials.kind[i]!, CANNOT_SAY);
    return `${trials.at[i]} ${kind} ${both ? trials.group[i] : 0}`;
  };
  const ranks = new Int32Array(n);
  const most = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const key = keyOf(i);
    const rank = stacks.get(key) ?? 0;
    ranks[i] = rank;
    stacks.set(key, rank + 1);
    const kind = Math.min(trials.kind[i]!, CANNOT_SAY);
    most[kind] = Math.max(most[kind]!, rank + 1);
  }
  const heights = [g.stripBottom - g.bottom - 3, g.top - g.stripTop - 3, LANE];
  const pitch = pitchOf(Math.max(most[NO]!, most[YES]!), room * (both ? 1 : 2), heights[NO]!);
  const lane = Math.min(7, pitchOf(most[CANNOT_SAY]!, room * (both ? 1 : 2), LANE) + 1.4);
  const placed: Placed = { x: new Float64Array(n), y: new Float64Array(n), size: pitch - 0.7 };
  for (let i = 0; i < n; i++) {
    const kind = Math.min(trials.kind[i]!, CANNOT_SAY);
    const step = kind === CANNOT_SAY ? lane : pitch;
    const columns = columnsOf(step, room * (both ? 1 : 2));
    const row = Math.floor(ranks[i]! / columns);
    const aside = ranks[i]! % columns;
    const at = x(trials.at[i]!);
    const side = both ? (trials.group[i] === 0 ? -1 : 1) : aside % 2 ? 1 : -1;
    const out = both ? aside + 0.5 : Math.ceil(aside / 2);
    placed.x[i] = at + side * out * step;
    if (kind === YES) placed.y[i] = g.top - 3 - pitch / 2 - row * pitch;
    else if (kind === NO) placed.y[i] = g.bottom + 3 + pitch / 2 + row * pitch;
    else placed.y[i] = g.laneY + Math.min(row, 1) * 6;
  }
  return placed;
}

function pitchOf(count: number, room: number, height: number): number {
  const fits = (pitch: number) => columnsOf(pitch, room) * Math.floor(height / pitch) >= count;
  return PITCHES.find(fits) ?? PITCHES.at(-1)!;
}

const columnsOf = (pitch: number, room: number) => Math.max(1, Math.floor(room / pitch));

/** Marks of one look, as one path: thousands of them are drawn at once. */
export interface Layer {
  key: string;
  /** Group of the colour from 1; 0 for ink. */
  tone: 0 | 1 | 2;
  look: "dot" | "hollow" | "diamond" | "cross";
  d: string;
}

/** Round or square dots are strokes without length, so that a mark takes a dozen characters. */
export function layers(trials: Trials, { x, y }: Placed, both: boolean): Layer[] {
  const paths = new Map<string, string>();
  const add = (key: string, d: string) => paths.set(key, (paths.get(key) ?? "") + d);
  for (let i = 0; i < trials.at.length; i++) {
    const neither = trials.kind[i]! >= CANNOT_SAY;
    // Of two candidates nobody was chosen.
    const tone = neither && !both ? 0 : trials.group[i] === 1 ? 2 : 1;
    const [cx, cy] = [px(x[i]!), px(y[i]!)];
    const kind = trials.kind[i]!;
    if (kind > CANNOT_SAY) add(`${tone} cross`, `M${px(cx - 2.5)} ${px(cy - 2.5)}l5 5m0-5l-5 5`);
    else if (kind === CANNOT_SAY) add(`${tone} diamond`, `M${px(cx - 3)} ${cy}l3-3 3 3-3 3z`);
    else {
      add(`${tone} dot`, `M${cx} ${cy}h0`);
      if (!trials.first[i]) add(`${tone} hollow`, `M${cx} ${cy}h0`);
    }
  }
  return [...paths]
    .sort(([a], [b]) => ORDER.indexOf(a.slice(2)) - ORDER.indexOf(b.slice(2)))
    .map(([key, d]) => ({
      key,
      tone: Number(key[0]) as Layer["tone"],
      look: key.slice(2) as Layer["look"],
      d,
    }));
}

const ORDER = ["dot", "hollow", "diamond", "cross"];

/** The trial whose mark is nearest to a place, if that is near; -1 if none is. */
export function nearest({ x, y }: Placed, atX: number, atY: number, reach = 9): number {
  let found = -1;
  let best = reach * reach;
  for (let i = 0; i < x.length; i++) {
    const d = (x[i]! - atX) ** 2 + (y[i]! - atY) ** 2;
    if (d < best) {
      best = d;
      found = i;
    }
  }
  return found;
}
