/** All chains at once: a row of colour for each, which stands out where the chain is elsewhere. */
import { type Numbers, rowOf, sizes } from "../../lib/packed";
import { clamp } from "../../lib/scale";
import { meanOf } from "./texts";

export type Rgb = readonly [number, number, number];

export interface Ramp {
  below: Rgb;
  middle: Rgb;
  above: Rgb;
}

export interface Spread {
  mean: number;
  /** Distance from the mean at which the colour is full. */
  full: number;
}

/** Of a normal spread this many standard deviations have the full colour. */
const FULL = 3.5;

/** The pooled mean, and a spread that a few chains elsewhere do not widen. */
export function spreadOf(values: ArrayLike<number>): Spread {
  const positive = Float64Array.from({ length: values.length }, (_, i) => values[i]!).filter(
    (v) => !Number.isNaN(v),
  );
  if (positive.length === 0) return { mean: 0, full: 1 };
  const mean = meanOf(positive);
  const away = positive.map((v) => Math.abs(v - mean)).sort();
  const median = away[away.length >> 1]!;
  return { mean, full: FULL * 1.4826 * median || Math.max(away.at(-1)!, 1e-12) };
}

/** The mean of each chain. */
export const chainMeans = (numbers: Numbers): number[] =>
  Array.from({ length: sizes(numbers)[0] }, (_, chain) => meanOf(rowOf(numbers, chain)));

/** Pixels of values, row by row; see-through where there is no number. */
export function colours(values: ArrayLike<number>, { mean, full }: Spread, ramp: Ramp) {
  const pixels = new Uint8ClampedArray(4 * values.length);
  for (let i = 0; i < values.length; i++) {
    const v = values[i]!;
    if (Number.isNaN(v)) continue;
    const t = clamp((v - mean) / full, -1, 1);
    const end = t < 0 ? ramp.below : ramp.above;
    // What is usual stays pale: rows that are elsewhere stand out.
    const share = Math.abs(t) ** 1.6;
    for (let c = 0; c < 3; c++)
      pixels[4 * i + c] = ramp.middle[c]! + share * (end[c]! - ramp.middle[c]!);
    pixels[4 * i + 3] = 255;
  }
  return pixels;
}

/** Red, green and blue of "#rrggbb" or "#rgb". */
export function rgb(colour: string): Rgb {
  const hex = colour.trim().replace("#", "");
  const full = hex.length === 3 ? [...hex].map((d) => d + d).join("") : hex;
  const n = Number.parseInt(full, 16);
  return Number.isNaN(n) ? [128, 128, 128] : [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}
