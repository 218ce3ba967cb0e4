/** Estimates on a scale, with the shapes that `biaslab/reports/chart.py` names. */
import type { ComponentChildren } from "preact";
import { px } from "../marks";
import { clamp, type Scale } from "../scale";

/** A ring is an open circle, and hollow an open diamond. */
export type Shape = "circle" | "ring" | "square" | "diamond" | "hollow";

export interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
}

export interface RowMark extends Estimate {
  /** Of its own, where several stand beside each other. */
  x?: Scale;
  /** From the middle of its row. */
  dy?: number;
  /** Classes that say its colour. */
  look?: string;
  shape?: Shape;
  size?: number;
  /** What is drawn behind it. */
  behind?: ComponentChildren;
  /** Its numbers, one a column. */
  texts?: readonly string[];
  /** They stand back. */
  faint?: boolean;
  /** Attributes of what is drawn of it, without their "data-". */
  data?: Readonly<Record<string, unknown>>;
}

/** How a value looks that leans to group 1 (1), to group 2 (-1), to neither (0), or has no interval. */
export function leaning(lean: number): { look: string; shape: Shape } {
  if (lean === 1) return { look: "side-1", shape: "circle" };
  if (lean === -1) return { look: "side-2", shape: "square" };
  return { look: "side-0", shape: lean === 0 ? "hollow" : "ring" };
}

/** The outline of a shape around a point. */
export function shapePath(shape: Shape, x: number, y: number, size: number): string {
  if (shape === "square")
    return `M${px(x - size)} ${px(y - size)}h${2 * size}v${2 * size}h${-2 * size}Z`;
  if (shape === "diamond" || shape === "hollow") {
    const d = px(1.3 * size);
    return `M${px(x - d)} ${px(y)}l${d} ${-d}l${d} ${d}l${-d} ${d}Z`;
  }
  return `M${px(x - size)} ${px(y)}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`;
}

/** A line between both ends, as far as the scale goes. */
export function intervalPath({ low, high }: Estimate, x: Scale, y: number): string {
  const [from, to] = x.range;
  if (low === null || high === null || x(high) < from || x(low) > to) return "";
  return `M${px(clamp(x(low), from, to))} ${px(y)}H${px(clamp(x(high), from, to))}`;
}

export const isIn = (value: number | null, [low, high]: Scale["domain"]): value is number =>
  value !== null && value >= low && value <= high;

/** Rings at single values: many thousand are drawn at once. */
export const pointsPath = (values: readonly (number | null)[], x: Scale, y: number) =>
  values
    .filter((v) => isIn(v, x.domain))
    .map((v) => shapePath("ring", x(v), y, 2))
    .join("");

/** Triangles at the ends of a scale, for values beyond it. */
export function beyondPath(values: readonly (number | null)[], x: Scale, y: number): string {
  const [low, high] = x.domain;
  const left = values.some((v) => v !== null && v < low);
  const right = values.some((v) => v !== null && v > high);
  const tip = (at: number, way: 1 | -1) => `M${px(at)} ${px(y - 3)}l${5 * way} 3l${-5 * way} 3Z`;
  return (left ? tip(x.range[0], -1) : "") + (right ? tip(x.range[1], 1) : "");
}

export const markClass = (shape: Shape) =>
  shape === "ring" || shape === "hollow" ? "mark open" : "mark";

interface MarkProps extends Pick<RowMark, "shape" | "size"> {
  x: number;
  y: number;
  [data: `data-${string}`]: unknown;
}

/** A shape in the colour `--mark`. */
export const Mark = ({ x, y, shape = "circle", size = 4, ...data }: MarkProps) => (
  <path class={markClass(shape)} d={shapePath(shape, x, y, size)} {...data} />
);
