/** Traces as paths: what a chain did within one pixel is drawn once, from its lowest to its highest. */
import { px } from "../../lib/marks";
import { clamp, type Scale } from "../../lib/scale";

/**
 * A line through the values of one chain; gaps where there is no number.
 *
 * @param first - The step of the first value.
 */
export function linePath(values: Float32Array, x: Scale, y: Scale, first = 0): string {
  const at = (v: number) => px(clamp(y(v), Math.min(...y.range) - 6, Math.max(...y.range) + 6));
  const perPixel = (values.length - 1) / Math.max(1, Math.abs(x(values.length - 1) - x(0)));
  let path = "";
  let pen = "M";
  if (perPixel <= 1.5) {
    for (let i = 0; i < values.length; i++) {
      const v = values[i]!;
      if (Number.isNaN(v)) pen = "M";
      else {
        path += `${pen}${px(x(first + i))} ${at(v)}`;
        pen = "L";
      }
    }
    return path;
  }
  const step = 2 * perPixel;
  for (let from = 0; from < values.length; from += step) {
    const until = Math.min(values.length, Math.floor(from + step));
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    let rising = true;
    for (let i = Math.floor(from); i < until; i++) {
      const v = values[i]!;
      if (v < low) {
        low = v;
        rising = false;
      }
      if (v > high) {
        high = v;
        rising = true;
      }
    }
    if (low > high) {
      pen = "M";
      continue;
    }
    const left = px(x(first + from));
    const [begin, end] = rising ? [low, high] : [high, low];
    path += `${pen}${left} ${at(begin)}L${left} ${at(end)}`;
    pen = "L";
  }
  return path;
}

/** Upright bars from 0, one for each lag. */
export function barPath(values: readonly number[], x: Scale, y: Scale): string {
  return values.map((v, lag) => `M${px(x(lag))} ${px(y(0))}V${px(y(clamp(v, -1, 1)))}`).join("");
}

/** Where R-hat stands: 1 at the bottom, small excesses clear of it, the highest at the top. */
export function rhatHeight(rhat: number, top: number): number {
  return Math.sqrt(clamp(rhat - 1, 0, top - 1) / (top - 1));
}

export const rhatTop = (path: readonly number[]) =>
  clamp(Math.max(1.04, ...path.filter(Number.isFinite)), 1.04, 2);
