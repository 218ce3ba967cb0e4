/** Which points of the scatter get their word, and where it stands without covering anything. */
import { type Box, overlap, within } from "./boxes";

export interface Dot {
  x: number;
  y: number;
  /** How much it deserves a label: the largest come first. */
  weight: number;
  text: string;
  /** Width of its text. */
  width: number;
}

export interface Label {
  index: number;
  x: number;
  y: number;
  anchor: "start" | "end" | "middle";
}

const RADIUS = 5;
const HEIGHT = 12;
const GAP = 8;

/**
 * Labels for the points that deserve one most, at most `most`; a label that finds no free place is
 * left out: the point is named when it is hovered.
 */
export function placeLabels(dots: readonly Dot[], area: Box, most: number): Label[] {
  const taken: Box[] = dots.map((d) => ({
    left: d.x - RADIUS,
    right: d.x + RADIUS,
    top: d.y - RADIUS,
    bottom: d.y + RADIUS,
  }));
  const order = dots.map((_, i) => i).sort((a, b) => dots[b]!.weight - dots[a]!.weight || a - b);
  const labels: Label[] = [];
  for (const index of order.slice(0, 6 * most)) {
    if (labels.length >= most) break;
    const dot = dots[index]!;
    const free = places(dot).find(
      ({ box }) => within(box, area) && !taken.some((other) => overlap(box, other)),
    );
    if (!free) continue;
    taken.push(free.box);
    labels.push({ index, x: free.x, y: free.y, anchor: free.anchor });
  }
  return labels;
}

function places({ x, y, width }: Dot) {
  const at = (left: number, middle: number): Box => ({
    left,
    right: left + width,
    top: middle - HEIGHT / 2,
    bottom: middle + HEIGHT / 2,
  });
  const aside = (side: 1 | -1, dy: number) => ({
    x: x + side * GAP,
    y: y + dy + 4,
    anchor: side === 1 ? ("start" as const) : ("end" as const),
    box: at(side === 1 ? x + GAP : x - GAP - width, y + dy),
  });
  const over = (dy: number) => ({
    x,
    y: y + dy + 4,
    anchor: "middle" as const,
    box: at(x - width / 2, y + dy),
  });
  return [
    aside(1, 0),
    aside(-1, 0),
    aside(1, -9),
    aside(-1, -9),
    aside(1, 9),
    aside(-1, 9),
    over(-13),
    over(13),
  ];
}

/** Distance of each point from the line, in units of their spread. */
export function residuals(
  x: readonly number[],
  y: readonly number[],
  lineX: readonly number[],
  lineY: readonly number[],
): number[] {
  const [x0, x1] = [lineX[0], lineX.at(-1)];
  const [y0, y1] = [lineY[0], lineY.at(-1)];
  const sloped = x0 !== undefined && x1 !== undefined && x1 !== x0 && y0 !== undefined;
  const mean = y.reduce((a, b) => a + b, 0) / Math.max(1, y.length);
  const fitted = (v: number) => (sloped ? y0 + ((v - x0) * ((y1 ?? y0) - y0)) / (x1 - x0) : mean);
  return y.map((v, i) => v - fitted(x[i]!));
}
