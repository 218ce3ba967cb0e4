/** Names at the ends of arrows: beside them where there is room, else led to by a line. */

import { around, type Box, overlap } from "../../../lib/boxes";
import { clamp } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import { type Corners, NAMES, type Place, placeOf } from "./corners";

export interface Line {
  text: string;
  bold: boolean;
}

export interface Label {
  x: number;
  y: number;
  anchor: "start" | "end" | "middle";
  lines: readonly Line[];
  box: Box;
  /** A line from its edge to what is named; null where that is plain. */
  leader: readonly [Place, Place] | null;
}

/** Between lines. */
export const LINE = 14;

/** Boxes along a line, that no text may cover. */
export function along(from: Place, to: Place): Box[] {
  const steps = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / 8);
  return Array.from({ length: steps + 1 }, (_, i) => {
    const share = steps ? i / steps : 0;
    return around({ x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) }, 3);
  });
}

/** Boxes of the points and of the names of corners and blocks. */
export function boxesOf(corners: Corners, inputs: readonly (readonly number[])[]): Box[] {
  const { top, left, width } = corners;
  return [
    ...inputs.map((shares) => around(placeOf(shares, corners), 11)),
    { left: top.x - 40, right: top.x + 40, top: 0, bottom: 19 },
    { left: 0, right: width, top: left.y + 10, bottom: left.y + NAMES },
  ];
}

/** Puts a text of some lines at a place: null where it covers something. */
class Room {
  readonly wide: number;
  readonly high: number;

  constructor(
    private readonly lines: readonly Line[],
    readonly corners: Corners,
    private readonly taken: readonly Box[],
  ) {
    this.wide = Math.max(...lines.map(({ text, bold }) => textWidth(text, 11, bold))) + 2;
    this.high = lines.length * LINE;
  }

  at(x: number, top: number, anchor: Label["anchor"] = "middle"): Label | null {
    const { lines, wide, high, corners, taken } = this;
    const left = anchor === "start" ? x : anchor === "end" ? x - wide : x - wide / 2;
    const box = { left, right: left + wide, top, bottom: top + high };
    const inside =
      left >= 0 && box.right <= corners.width && top >= 0 && box.bottom <= corners.height;
    const free = inside && taken.every((other) => !overlap(other, box));
    return free ? { x, y: top + 11, anchor, lines, box, leader: null } : null;
  }
}

/** Beside a place, or under it below the triangle. */
function beside(at: Place, room: Room): Label | null {
  const { wide, high, corners } = room;
  for (const dy of [0, -4, 16, -24, 32, -40]) {
    const top = at.y + dy - high / 2;
    const place = room.at(at.x + 13, top, "start") ?? room.at(at.x - 13, top, "end");
    if (place) return place;
  }
  const near = room.at(at.x, at.y - 16 - high) ?? room.at(at.x, at.y + 16);
  if (near || corners.left.y - at.y > 4) return near;
  const floor = corners.left.y + NAMES;
  for (let aside = 0; aside <= wide / 2; aside += 6) {
    const place = room.at(at.x - aside, floor) ?? room.at(at.x + aside, floor);
    if (place) return place;
  }
  return null;
}

/** Steps between the places that are tried. */
const STEP = 10;

/** As near as there is room, with a line that leads to the place. */
function led(at: Place, room: Room): Label | null {
  const { wide, high, corners } = room;
  const tries: { x: number; top: number; edge: Place; far: number }[] = [];
  for (let x = wide / 2; x <= corners.width - wide / 2; x += STEP)
    for (let top = 0; top + high < corners.left.y; top += STEP) {
      const edge = {
        x: clamp(at.x, x - wide / 2, x + wide / 2),
        y: clamp(at.y, top, top + high),
      };
      tries.push({ x, top, edge, far: Math.hypot(edge.x - at.x, edge.y - at.y) });
    }
  tries.sort((a, b) => a.far - b.far);
  for (const { x, top, edge } of tries) {
    const place = room.at(x, top);
    if (place) return { ...place, leader: [edge, at] };
  }
  return null;
}

/**
 * Where a text stands that names one of these places; null if nowhere. The earlier of the places and
 * of the ways to write it are the better ones; beside any place is better than at the end of a line.
 */
export function labelAt(
  places: readonly Place[],
  ways: readonly (readonly Line[])[],
  corners: Corners,
  taken: readonly Box[],
): Label | null {
  const rooms = ways.map((lines) => new Room(lines, corners, taken));
  for (const put of [beside, led])
    for (const room of rooms)
      for (const place of places) {
        const label = put(place, room);
        if (label) return label;
      }
  return null;
}
