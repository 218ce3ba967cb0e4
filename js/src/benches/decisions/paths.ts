/** Curves, their bands and what they say at a level. */

import type { Curve, Estimate, Picture } from "../../generated/decisions";
import { px } from "../../lib/marks";
import type { Scale } from "../../lib/scale";

export function linePath(levels: readonly number[], shares: readonly number[], x: Scale, y: Scale) {
  return levels.map((level, i) => `${i ? "L" : "M"}${px(x(level))} ${px(y(shares[i]!))}`).join("");
}

export function bandPath(levels: readonly number[], curve: Curve, x: Scale, y: Scale): string {
  const back = levels.map((level, i) => `L${px(x(level))} ${px(y(curve.low[i]!))}`).reverse();
  return levels.length ? `${linePath(levels, curve.high, x, y)}${back.join("")}z` : "";
}

/** A share with its interval at a level, between two of those at which the curve is given. */
export function shareAt(levels: readonly number[], curve: Curve, level: number) {
  const at = (values: readonly number[]) => between(levels, values, level);
  return { value: at(curve.share), low: at(curve.low), high: at(curve.high) };
}

export function ratioAt({ ratio_levels, ratio }: Picture, level: number): Estimate {
  if (ratio.length === 0) return { value: null, low: null, high: null };
  const part = (name: keyof Estimate) => {
    const values = ratio.map((one) => one[name] ?? Number.NaN);
    const found = between(ratio_levels, values, level);
    return Number.isFinite(found) ? found : null;
  };
  return { value: part("value"), low: part("low"), high: part("high") };
}

function between(levels: readonly number[], values: readonly number[], level: number): number {
  const after = levels.findIndex((one) => one >= level - 1e-9);
  if (after < 0) return values.at(-1) ?? Number.NaN;
  if (after === 0 || Math.abs(levels[after]! - level) < 1e-9) return values[after] ?? Number.NaN;
  const [a, b] = [levels[after - 1]!, levels[after]!];
  const t = (level - a) / (b - a);
  return values[after - 1]! * (1 - t) + values[after]! * t;
}
