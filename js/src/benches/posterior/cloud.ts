/**
 * Draws as a cloud: all of them, in one pass over the pixels.
 *
 * Each draw is counted in the pixels that it covers; a pixel's colour mixes the labels by their
 * counts, so neither label lies over the other, and its strength grows with how many there are.
 */

import type { Cloud } from "../../generated/posterior";
import { sizes, unpack } from "../../lib/packed";
import type { Scale } from "../../lib/scale";
import type { Rgb } from "./heat";

export interface Tint {
  cloud: Cloud;
  colour: Rgb;
}

/** Share of the pixels with draws whose strength stays below `STRONG`. */
const MOST = 0.98;
const STRONG = 0.85;
const FAINTEST = 0.08;
const FULLEST = 0.62;

/**
 * Pixels of `width` by `height` with the draws in them.
 *
 * @param zoom - Pixels for each CSS pixel; the scales are in CSS pixels.
 */
export function cloudPixels(
  tints: readonly Tint[],
  x: Scale,
  y: Scale,
  width: number,
  height: number,
  zoom: number,
): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(4 * width * height);
  const counts = tints.map(({ cloud }) => counted(cloud, x, y, width, height, zoom));
  const total = new Uint32Array(width * height);
  for (const one of counts) for (let i = 0; i < total.length; i++) total[i]! += one[i]!;
  const strength = strengths(total);
  for (let i = 0; i < total.length; i++) {
    const n = total[i]!;
    if (n === 0) continue;
    for (let k = 0; k < tints.length; k++) {
      const share = counts[k]![i]! / n;
      if (share === 0) continue;
      const colour = tints[k]!.colour;
      for (let c = 0; c < 3; c++) pixels[4 * i + c]! += share * colour[c]!;
    }
    pixels[4 * i + 3] = strength[Math.min(n, strength.length - 1)]!;
  }
  return pixels;
}

function counted(cloud: Cloud, x: Scale, y: Scale, width: number, height: number, zoom: number) {
  const counts = new Uint32Array(width * height);
  const numbers = unpack(cloud.points);
  const [n] = sizes(numbers);
  const { values } = numbers;
  const size = Math.max(1, Math.round(1.6 * zoom));
  const [x0, xs] = [x(0), x(1) - x(0)];
  const [y0, ys] = [y(0), y(1) - y(0)];
  for (let i = 0; i < n; i++) {
    const left = Math.round((x0 + xs * values[2 * i]!) * zoom - size / 2);
    const top = Math.round((y0 + ys * values[2 * i + 1]!) * zoom - size / 2);
    // Not a number fails this, too.
    if (!(left >= 0 && top >= 0 && left + size <= width && top + size <= height)) continue;
    for (let row = top; row < top + size; row++) {
      const at = row * width + left;
      for (let k = at; k < at + size; k++) counts[k]!++;
    }
  }
  return counts;
}

/** Strength of a pixel from 0 to 255 by how many draws it has: the crowd decides for each of them. */
function strengths(total: Uint32Array): Uint8Array {
  const of = new Uint32Array(1 + total.reduce((most, n) => Math.max(most, n), 0));
  let covered = 0;
  for (const n of total) {
    if (n === 0) continue;
    of[n]!++;
    covered++;
  }
  let usual = 1;
  for (let seen = 0; usual < of.length - 1; usual++) {
    seen += of[usual]!;
    if (seen >= MOST * covered) break;
  }
  const each = Math.min(FULLEST, Math.max(FAINTEST, 1 - (1 - STRONG) ** (1 / usual)));
  return Uint8Array.from(of, (_, n) => Math.round(255 * (1 - (1 - each) ** n)));
}

/** Draws as marks of a drawing, for few of them; nothing where an image must do. */
export function cloudPath(cloud: Cloud, x: Scale, y: Scale): string {
  const numbers = unpack(cloud.points);
  const [n] = sizes(numbers);
  const [left, right] = x.range;
  const [low, high] = [Math.min(...y.range), Math.max(...y.range)];
  let path = "";
  for (let i = 0; i < n; i++) {
    const at = x(numbers.values[2 * i]!);
    const up = y(numbers.values[2 * i + 1]!);
    if (at >= left && at <= right && up >= low && up <= high)
      path += `M${at.toFixed(1)} ${up.toFixed(1)}h0`;
  }
  return path;
}
