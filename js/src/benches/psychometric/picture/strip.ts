/** Where the residuals' strip stands under the picture, and what it and its legend say. */
import type { Picture } from "../../../generated/psychometric";
import type { Fit } from "../../../generated/shared";
import { points } from "../../../lib/format";
import type { Geometry } from "../layout";

export interface Strip {
  /** Baselines of the lines above the plot. */
  verdict: number[];
  legend: [number, number];
  title: number;
  top: number;
  bottom: number;
  /** Height of all of it. */
  height: number;
}

const LINE = 17;

/** The strip below a picture; as high whatever it says, so that no answer moves what follows. */
export function stripOf(g: Geometry): Strip {
  const first = g.height + 18;
  const verdict = g.narrow ? [first, first + LINE] : [first];
  const after = first + LINE * verdict.length + 4;
  const title = after + 2 * LINE + 8;
  const top = title + (g.narrow ? LINE : 0) + 12;
  const bottom = top + (g.narrow ? 76 : 88);
  const height = bottom - g.height + 10;
  return { verdict, legend: [after, after + LINE], title, top, bottom, height };
}

/** Half the height of the strip's scale: a round number that holds residuals and their interval. */
export function reachOf({ residual, expected }: Fit): number {
  const most = Math.max(...residual.map(Math.abs), ...expected);
  return [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((reach) => most <= reach) ?? 1;
}

/** What the two bands of the plot are. */
export function bands(picture: Picture): [string, string] {
  const level = `${Math.round(picture.interval_level * 100)} %`;
  const graded = picture.rows.answers.length > 0;
  const count = Math.max(0, ...picture.rows.replicate);
  const pairs = picture.interval_over.includes("cue pairs") ? " and pairs" : "";
  return [
    graded
      ? `${level} interval of the mean answer`
      : `curves within the ${level} intervals of PSE and JND`,
    `${level} of mean answers of ${count} new ${picture.unit}${pairs}`,
  ];
}

/** The residuals in words. */
export function described({ levels, fit, cue_2 }: Picture): string {
  if (!fit) return "No residuals";
  const sizes = fit.residual.map(Math.abs);
  const at = sizes.indexOf(Math.max(...sizes));
  const largest = `${points(fit.residual[at]!, 1)} points at ${points(levels.alpha[at]!)} % ${cue_2}`;
  const beyond = fit.expected.filter((half, i) => sizes[i]! > half).length;
  const outside = fit.expected.length
    ? `, ${beyond} of ${sizes.length} outside the interval expected of a right curve`
    : "";
  return `Residuals. ${fit.verdict}. The largest is ${largest}${outside}.`;
}
