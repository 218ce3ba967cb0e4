/** What the pointer is nearest to, and where the keys lead, in the points and the estimates. */
import type { Posterior, Side } from "../../generated/association";
import { clamp, type Scale } from "../../lib/scale";
import { placeAt, type Rows } from "./layout";
import type { Spot } from "./store";

export interface Field {
  view: Spot["view"];
  index: 0 | 1;
  side: Side;
  posterior: Posterior | null;
  rows: Rows;
  x: Scale;
  /** Single points are on the screen. */
  pointed: boolean;
}

/** How far the pointer may be from a point to mean it. */
const REACH = 14;

/** The spot under a place in the plot; of points, the nearest in its lane. */
export function spotAt(field: Field, px: number, py: number): Spot | null {
  const { view, index, side, rows, x } = field;
  const place = placeAt(rows, py, side.connections.length);
  if (!place) return null;
  const spot = { view, side: index, word: place.word, connection: place.lane };
  if (!field.pointed) return { ...spot, point: null };
  const values = side.distances[place.word]?.[place.lane] ?? [];
  let point: number | null = null;
  let least = REACH;
  values.forEach((value, i) => {
    const away = Math.abs(clamp(x(value), ...x.range) - px);
    if (away < least) {
      least = away;
      point = i;
    }
  });
  return { ...spot, point };
}

/** Indices of a lane's points from near to far. */
export function ordered(side: Side, word: number, connection: number): number[] {
  const values = side.distances[word]?.[connection] ?? [];
  return values.map((_, i) => i).sort((a, b) => values[a]! - values[b]! || a - b);
}

/**
 * Where a key leads: up and down through the lanes, by pages through the words, left and right
 * through the points of a lane. Null for any other key.
 */
export function moved(field: Field, key: string, at: Spot | null): Spot | null {
  const { view, index, side, rows, pointed } = field;
  const lanes = side.connections.length;
  const total = rows.words.length * lanes;
  if (total === 0) return null;
  const spot = (word: number, connection: number, point: number | null): Spot => ({
    view,
    side: index,
    word,
    connection,
    point,
  });
  const place = at ? at.word * lanes + at.connection : -1;
  const lane = (to: number) => {
    const k = Math.min(Math.max(to, 0), total - 1);
    const [word, connection] = [Math.floor(k / lanes), k % lanes];
    if (!pointed) return spot(word, connection, null);
    return spot(word, connection, ordered(side, word, connection)[0] ?? null);
  };
  if (key === "ArrowDown") return lane(place + 1);
  if (key === "ArrowUp") return lane(place - 1);
  if (key === "PageDown") return lane(place + lanes);
  if (key === "PageUp") return lane(place - lanes);
  if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(key)) return null;
  if (!at) return lane(0);
  if (!pointed) return key === "Home" ? lane(0) : key === "End" ? lane(total - 1) : at;
  const order = ordered(side, at.word, at.connection);
  const now = at.point === null ? -1 : order.indexOf(at.point);
  const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: order.length - 1 }[key]!;
  return spot(at.word, at.connection, order[Math.min(Math.max(to, 0), order.length - 1)] ?? null);
}

/** The same attribute word's distance to every protected word: word, lane and distance. */
export function sameTerm(side: Side, spot: Spot): { word: number; lane: number; value: number }[] {
  if (spot.point === null) return [];
  const term = side.terms[spot.word]?.[spot.connection]?.[spot.point];
  return side.terms.flatMap((lanes, word) =>
    lanes.flatMap((terms, lane) => {
      const i = terms.indexOf(term as number);
      return i < 0 || term === undefined
        ? []
        : [{ word, lane, value: side.distances[word]![lane]![i]! }];
    }),
  );
}
