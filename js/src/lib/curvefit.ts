/** A curve against the answers: what of it every bench draws. */
import type { Fit } from "../generated/shared";
import type { Scale } from "./scale";

/** Values at the stimuli, on straight lines between them; null beyond them. */
export function between(alphas: readonly number[], values: readonly number[], at: number) {
  const after = alphas.findIndex((a) => a >= at);
  if (after < 0 || at < alphas[0]!) return null;
  if (after === 0) return values[0]!;
  const [left, right] = [alphas[after - 1]!, alphas[after]!];
  const part = (at - left) / (right - left);
  return values[after - 1]! * (1 - part) + values[after]! * part;
}

/** Ends of the predictive band along a curve: two lines. */
export function predictedPath(
  fit: Fit | null,
  stimuli: readonly number[],
  curve: { alpha: readonly number[]; share: readonly number[] },
  x: Scale,
  y: Scale,
): string {
  if (!fit || fit.predicted.length === 0) return "";
  const ends = ["", ""];
  curve.alpha.forEach((alpha, i) => {
    const half = between(stimuli, fit.predicted, alpha);
    if (half === null) return;
    [-half, half].forEach((away, k) => {
      const share = Math.min(1, Math.max(0, curve.share[i]! + away));
      ends[k] += `${ends[k] ? "L" : "M"}${x(alpha).toFixed(2)} ${y(share).toFixed(2)}`;
    });
  });
  return ends.join("");
}
