/** What the rows answer at a stimulus: computed here, so that a drag shows it in the same frame. */
import type { Picture, Rows } from "../../generated/psychometric";
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

/** Answers that are probabilities of a row's own, such as a language model's in one frame. */
export interface Graded {
  /** The stimuli asked, rising. */
  alphas: readonly number[];
  /** For each row P(cue 2) at these. */
  answers: readonly (readonly number[])[];
}

export function gradedOf(picture: Picture | null): Graded | null {
  if (!picture || picture.rows.answers.length === 0) return null;
  return { alphas: picture.levels.alpha, answers: picture.rows.answers };
}

/** P(cue 2) of a row at `alpha`, on a straight line between two stimuli. */
export function gradedShare({ alphas, answers }: Graded, row: number, alpha: number): number {
  const own = answers[row] ?? [];
  const after = alphas.findIndex((a) => a >= alpha);
  if (after <= 0) return own[after < 0 ? own.length - 1 : 0] ?? 0.5;
  const [left, right] = [alphas[after - 1]!, alphas[after]!];
  const [low, high] = [own[after - 1] ?? 0.5, own[after] ?? 0.5];
  return low + ((alpha - left) / (right - left)) * (high - low);
}

export function answersAt(
  switches: readonly number[],
  noise: number,
  alpha: number,
  graded: Graded | null = null,
): AnswerCount {
  const n = switches.length;
  let cue2 = 0;
  if (graded) {
    for (let row = 0; row < n; row++) cue2 += gradedShare(graded, row, alpha);
    const share = n > 0 ? cue2 / n : 0;
    cue2 = Math.round(cue2 * 10) / 10;
    return { cue1: Math.round((n - cue2) * 10) / 10, cue2, share };
  }
  for (const s of switches) {
    // A row exactly on its switch point is counted once, with cue 1, so that counts stay whole.
    cue2 += noise > 0 ? rowShare(s, alpha, noise) : alpha > s ? 1 : 0;
  }
  if (noise > 0) cue2 = Math.round(cue2 * 10) / 10;
  return { cue1: Math.round((n - cue2) * 10) / 10, cue2, share: n > 0 ? cue2 / n : 0 };
}

/** Which cue a row answers at `alpha`, the more likely one when it is noisy. */
export const sideOf = (switchAt: number, alpha: number): 1 | 2 => (alpha > switchAt ? 2 : 1);

/** Switch points this far away stand for rows that answer one cue to every blend. */
export const FAR = 1e9;
export const isFar = (value: number) => Math.abs(value) >= FAR / 10;

/**
 * Row indices by switch point, lowest first: from the bottom of the picture to its top.
 *
 * Rows without a switch point are in the order of their mean answers.
 */
export function bySwitch(rows: Rows): number[] {
  const mean = rows.answers.map((own) => own.reduce((sum, p) => sum + p, 0));
  return rows.switch
    .map((_, i) => i)
    .sort((a, b) => rows.switch[a]! - rows.switch[b]! || (mean[b] ?? 0) - (mean[a] ?? 0));
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
