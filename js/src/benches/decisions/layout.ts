/** Where things stand in the picture, in CSS pixels, for a given width. */

import { textWidth } from "../../lib/textwidth";

export interface Geometry {
  width: number;
  height: number;
  narrow: boolean;
  /** The plot, and inside it the axis: marks at its ends need room. */
  left: number;
  right: number;
  axisLeft: number;
  axisRight: number;
  /** The strips of trials above 100 and below 0, and the lane of those that are neither. */
  stripTop: number;
  top: number;
  bottom: number;
  stripBottom: number;
  laneY: number;
  gapTop: number;
  gapY: number;
  gapBottom: number;
  /** Base of the first of its three lines: beside the bracket, or below it. */
  gapTextTop: number;
  ridgeTop: number;
  axisY: number;
}

const NARROW = 520;
const END_ROOM = 22;
export const LEVEL_GAP = 8;

export function geometry(width: number): Geometry {
  const narrow = width < NARROW;
  const left = Math.max(narrow ? 28 : 40, textWidth("100", 11) + LEVEL_GAP + 2);
  const right = Math.max(left + 160, width - (narrow ? 2 : 74));
  const stripTop = narrow ? 40 : 26;
  const top = stripTop + 56;
  const bottom = top + (narrow ? 168 : 190);
  const stripBottom = bottom + 52;
  const laneY = stripBottom + 14;
  const gapTop = laneY + 20;
  const gapY = gapTop + 22;
  const gapBottom = gapTop + 42;
  const ridgeTop = gapBottom + (narrow ? 56 : 14);
  const axisY = ridgeTop + 26;
  return {
    width,
    height: axisY + 48,
    narrow,
    left,
    right,
    axisLeft: left + END_ROOM,
    axisRight: right - END_ROOM,
    stripTop,
    top,
    bottom,
    stripBottom,
    laneY,
    gapTop,
    gapY,
    gapBottom,
    gapTextTop: narrow ? gapBottom + 14 : gapTop + 10,
    ridgeTop,
    axisY,
  };
}
