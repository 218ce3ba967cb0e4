/** Where the curve of the morphs and the blend below it stand. */
import { linear, type Scale } from "../../../lib/scale";

export interface CurveGeometry {
  width: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** The interval of the PSE, and the blend, below the curve. */
  intervalY: number;
  trackY: number;
  x: Scale;
  y: Scale;
}

export function curveGeometry(width: number): CurveGeometry {
  const [left, right, top, bottom] = [40, width - 32, 40, 200];
  return {
    width,
    left,
    right,
    top,
    bottom,
    intervalY: bottom + 14,
    trackY: bottom + 36,
    x: linear([0, 1], [left, right]),
    y: linear([0, 1], [bottom, top]),
  };
}
