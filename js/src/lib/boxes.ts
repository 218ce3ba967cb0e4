/** Where words stand in a picture, so that nothing is drawn through them. */

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export type Anchor = "start" | "end";

const SIZE = 12;

/** The box of a text of one line or more, whose first line has its base at `y`. */
export function boxOf(at: number, y: number, width: number, anchor: Anchor, lines = 1): Box {
  const left = anchor === "start" ? at : at - width;
  return { left, right: left + width, top: y - SIZE, bottom: y + 3 + 15 * (lines - 1) };
}

export const overlap = (a: Box, b: Box) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

export const within = (box: Box, area: Box) =>
  box.left >= area.left &&
  box.right <= area.right &&
  box.top >= area.top &&
  box.bottom <= area.bottom;

/** The square around a point. */
export const around = ({ x, y }: { x: number; y: number }, r: number): Box => ({
  left: x - r,
  right: x + r,
  top: y - r,
  bottom: y + r,
});

/** A vertical line with gaps where words stand. */
export function lineAround(at: number, top: number, bottom: number, boxes: readonly Box[]): string {
  const inWay = boxes.filter(
    (box) => box.left - 3 < at && at < box.right + 3 && box.top < bottom && top < box.bottom,
  );
  let path = "";
  let from = top;
  for (const box of inWay.sort((a, b) => a.top - b.top)) {
    if (from < box.top - 1) path += `M${at} ${from}V${box.top - 1}`;
    from = Math.max(from, box.bottom + 1);
  }
  return from < bottom ? `${path}M${at} ${from}V${bottom}` : path;
}
