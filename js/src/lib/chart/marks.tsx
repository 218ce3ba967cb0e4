/** Estimates on a scale, with the shapes that `biaslab/reports/chart.py` names. */
import { px } from "../marks";
import { clamp, type Scale } from "../scale";

/** A ring is an open circle, and hollow an open diamond. */
export type Shape = "circle" | "ring" | "square" | "diamond" | "hollow";

export interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
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

interface MarkProps {
  x: number;
  y: number;
  shape?: Shape | undefined;
  size?: number | undefined;
  [data: `data-${string}`]: unknown;
}

/** A shape in the colour `--mark`. */
export function Mark({ x, y, shape = "circle", size = 4, ...data }: MarkProps) {
  const open = shape === "ring" || shape === "hollow";
  return <path class={open ? "mark open" : "mark"} d={shapePath(shape, x, y, size)} {...data} />;
}

interface IntervalProps extends Pick<MarkProps, "y" | "shape" | "size"> {
  of: Estimate;
  x: Scale;
}

/** An interval and its point; a point beyond the scale is not drawn. */
export function Interval({ of, x, y, shape, size }: IntervalProps) {
  const at = of.value === null ? Number.NaN : x(of.value);
  return (
    <>
      <path class="interval" d={intervalPath(of, x, y)} />
      {at >= x.range[0] && at <= x.range[1] && <Mark x={at} y={y} shape={shape} size={size} />}
    </>
  );
}
