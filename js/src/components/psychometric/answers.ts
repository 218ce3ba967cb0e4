/** What the rows answer at a stimulus: computed here, so that a drag shows it in the same frame. */
import type { Rows } from "../../generated/psychometric";
import { normalCdf } from "../../lib/normal";

export interface AnswerCount {
  /** How many rows answer each cue: expected counts when the rows are noisy. */
  cue1: number;
  cue2: number;
  /** Share that answers cue 2, from 0 to 1. */
  share: number;
}

/** Probability that a row answers cue 2 at `alpha`: a step, softened by perceptual noise. */
export function rowShare(switchAt: number, alpha: number, noise: number): number {
  if (noise > 0) return normalCdf((alpha - switchAt) / noise);
  return alpha > switchAt ? 1 : alpha < switchAt ? 0 : 0.5;
}

export function answersAt(switches: readonly number[], noise: number, alpha: number): AnswerCount {
  const n = switches.length;
  let cue2 = 0;
  for (const s of switches) {
    // A row exactly on its switch point is counted once, with cue 1, so that counts stay whole.
    cue2 += noise > 0 ? rowShare(s, alpha, noise) : alpha > s ? 1 : 0;
  }
  if (noise > 0) cue2 = Math.round(cue2 * 10) / 10;
  return { cue1: Math.round((n - cue2) * 10) / 10, cue2, share: n > 0 ? cue2 / n : 0 };
}

/** Which cue a row answers at `alpha`, the more likely one when it is noisy. */
export const sideOf = (switchAt: number, alpha: number): 1 | 2 => (alpha > switchAt ? 2 : 1);

/** Row indices by switch point, lowest first: from the bottom of the picture to its top. */
export function bySwitch(rows: Rows): number[] {
  return rows.switch.map((_, i) => i).sort((a, b) => rows.switch[a]! - rows.switch[b]!);
}

/**
 * Which rows are drawn: all, or evenly picked ones when there are more than `limit`.
 *
 * `order` is from `bySwitch`; the picture's edge stays the same curve.
 */
export function drawnRows(order: readonly number[], limit: number): number[] {
  const n = order.length;
  if (n <= limit) return [...order];
  return Array.from({ length: limit }, (_, j) => order[Math.floor(((j + 0.5) * n) / limit)]!);
}
