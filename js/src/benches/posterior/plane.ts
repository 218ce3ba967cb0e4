/** The plane of the draws in CSS pixels: scales, outlines, words and where their names stand. */
import type { Outline, Plane, PlaneWord } from "../../generated/posterior";
import { type Label, placeLabels } from "../../lib/labels";
import { px } from "../../lib/marks";
import { linear, type Scale } from "../../lib/scale";
import { textWidth } from "../../lib/textwidth";

/** Over the plane stand the labels' names, under it the axis. */
export const TOP = 20;
export const BOTTOM = 8;

export interface PlaneGeometry {
  width: number;
  height: number;
  x: Scale;
  y: Scale;
}

/** Words may widen the frame of the draws so far; those beyond stand at its edge. */
const WIDEST = 1.8;

/** A frame that holds the draws, and of the words what does not make the draws too small. */
export function frameOf({ extent, words }: Pick<Plane, "extent" | "words">): Plane["extent"] {
  const [x0, x1, y0, y1] = extent;
  const side = (low: number, high: number, values: number[]): [number, number] => {
    const [middle, half] = [(low + high) / 2, (high - low) / 2];
    const [least, most] = [middle - WIDEST * half, middle + WIDEST * half];
    const within = values.filter((v) => v >= least && v <= most);
    const pad = 0.1 * half;
    return [
      Math.min(low, ...within.map((v) => v - pad)),
      Math.max(high, ...within.map((v) => v + pad)),
    ];
  };
  return [
    ...side(
      x0,
      x1,
      words.map((w) => w.x),
    ),
    ...side(
      y0,
      y1,
      words.map((w) => w.y),
    ),
  ];
}

/** Both axes have the same scale: a circle of draws is a circle. */
export function planeGeometry(
  width: number,
  height: number,
  plane: Pick<Plane, "extent" | "words"> | null,
): PlaneGeometry {
  const [x0, x1, y0, y1] = plane ? frameOf(plane) : [-1, 1, -1, 1];
  const inner = { width: width - 4, height: height - TOP - BOTTOM };
  const unit = Math.max((x1 - x0) / inner.width, (y1 - y0) / inner.height, 1e-9);
  const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const half = { x: (unit * inner.width) / 2, y: (unit * inner.height) / 2 };
  return {
    width,
    height,
    x: linear([cx - half.x, cx + half.x], [2, width - 2]),
    y: linear([cy - half.y, cy + half.y], [height - BOTTOM, TOP]),
  };
}

const STEPS = 72;

/** An ellipse of `sigmas` standard deviations. */
export function outlinePath({ centre, axes }: Outline, sigmas: number, { x, y }: PlaneGeometry) {
  let path = "";
  for (let i = 0; i < STEPS; i++) {
    const [c, s] = [Math.cos((2 * Math.PI * i) / STEPS), Math.sin((2 * Math.PI * i) / STEPS)];
    const at = (k: 0 | 1) => centre[k] + sigmas * (c * axes[0][k] + s * axes[1][k]);
    path += `${i === 0 ? "M" : "L"}${px(x(at(0)))} ${px(y(at(1)))}`;
  }
  return `${path}Z`;
}

export interface PlacedWord extends PlaneWord {
  at: [number, number];
  /** It is further out than it stands: in which direction, in radians from the right. */
  beyond: number | null;
}

const EDGE = 8;

/** Words where they stand; one beyond the frame stands at its edge, on the way to where it is. */
export function placedWords(plane: Plane | null, g: PlaneGeometry): PlacedWord[] {
  const [left, right, top, bottom] = [EDGE, g.width - EDGE, TOP + EDGE, g.height - EDGE];
  const [cx, cy] = [(left + right) / 2, (top + bottom) / 2];
  return (plane?.words ?? []).map((word) => {
    const [dx, dy] = [g.x(word.x) - cx, g.y(word.y) - cy];
    const over = Math.max(Math.abs(dx) / (right - cx), Math.abs(dy) / (bottom - cy));
    const out = over > 1;
    const at: [number, number] = out ? [cx + dx / over, cy + dy / over] : [cx + dx, cy + dy];
    return { ...word, at, beyond: out ? Math.atan2(dy, dx) : null };
  });
}

/** Names of words that fit beside them, those of `first` before all others. */
export function wordLabels(words: readonly PlacedWord[], g: PlaneGeometry, first: string): Label[] {
  const middle = [g.width / 2, g.height / 2] as const;
  const dots = words.map(({ word, at }) => ({
    x: at[0],
    y: at[1],
    // Words at the rim have room, and tell more.
    weight: word === first ? 1e9 : Math.hypot(at[0] - middle[0], at[1] - middle[1]),
    text: word,
    width: textWidth(word, 12, word === first) + 2,
  }));
  const area = { left: 0, right: g.width, top: TOP, bottom: g.height };
  return placeLabels(dots, area, 14);
}

const REACH = 18;

/** The word nearest to a place, if it is near. */
export function wordAt(words: readonly PlacedWord[], x: number, y: number): string | null {
  let nearest: string | null = null;
  let least = REACH;
  for (const { word, at } of words) {
    const away = Math.hypot(at[0] - x, at[1] - y);
    if (away < least) {
      least = away;
      nearest = word;
    }
  }
  return nearest;
}

/** The next word in the direction of an arrow key; the nearest within its quarter. */
export function wordToward(words: readonly PlacedWord[], from: string | null, key: string) {
  const dir = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (!dir || words.length === 0) return null;
  const start = words.find((w) => w.word === from);
  if (!start) return words[0]!.word;
  let nearest = start.word;
  let least = Number.POSITIVE_INFINITY;
  for (const { word, at } of words) {
    const [dx, dy] = [at[0] - start.at[0], at[1] - start.at[1]];
    const along = dx * dir[0]! + dy * dir[1]!;
    const aside = Math.abs(dx * dir[1]! + dy * dir[0]!);
    if (word === from || along <= 0 || aside > 2 * along) continue;
    const away = along + 2 * aside;
    if (away < least) {
      least = away;
      nearest = word;
    }
  }
  return nearest;
}
