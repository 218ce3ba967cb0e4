/** The rows of the picture, in the order in which they are drawn. */
import type { Picture } from "../../../generated/psychometric";
import { bySwitch, drawnRows, type Graded, gradedOf } from "../answers";

/** More rows than this are thinner than half a pixel: evenly picked ones show the same edge. */
const DRAWN = 544;

export interface Arranged {
  /** Row indices drawn, lowest switch point first. */
  order: number[];
  /** Their switch points. */
  switches: number[];
  /** All switch points, in training order. */
  all: readonly number[];
  /** Answers of all rows that are probabilities of their own; null where rows answer in a step. */
  graded: Graded | null;
}

export function arrange(picture: Picture | null): Arranged {
  if (!picture) return { order: [], switches: [], all: [], graded: null };
  const order = drawnRows(bySwitch(picture.rows), DRAWN);
  const all = picture.rows.switch;
  return { order, switches: order.map((i) => all[i]!), all, graded: gradedOf(picture) };
}
