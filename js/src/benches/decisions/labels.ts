/** Where the words at the curves stand: names, and points where half are accepted. */

import type { Curve } from "../../generated/decisions";
import { type Anchor, around, type Box, boxOf, overlap, within } from "../../lib/boxes";
import { linear, type Scale } from "../../lib/scale";
import { textWidth, wrap } from "../../lib/textwidth";
import { type GapPlace, placeGap } from "./gap";
import type { Geometry } from "./layout";
import { isAlone, type View } from "./store";
import { digitsOf, estimateText } from "./texts";

interface Placed {
  /** Index of the curve. */
  curve: number;
  at: number;
  y: number;
  anchor: Anchor;
  box: Box;
}

export interface Name extends Placed {
  lines: readonly string[];
}

export interface PointLabel extends Placed {
  text: string;
  value: number;
}

/** All words that lines keep clear of. */
export interface Words {
  names: readonly Name[];
  points: readonly PointLabel[];
  gap: GapPlace | null;
}

export function placeWords(g: Geometry, x: Scale, view: View): Words {
  const names = placeNames(g, x, view);
  return { names, points: placePoints(g, x, view, names), gap: placeGap(g, x, view) };
}

/** Whether more is better; of flat lines alone it is. */
export const doRise = (curves: readonly Curve[]) =>
  curves.every(({ share }) => (share.at(-1) ?? 1) >= (share[0] ?? 0));

const scaleOf = (g: Geometry) => linear([0, 1], [g.bottom, g.top]);

/** Widths that a name is broken to, the first that has room. */
const NAME_WIDTHS = [112, 72];
const NAME_LINE = 14;

/** The names at the curves: the left curve's to its left, the right one's to its right. */
function placeNames(g: Geometry, x: Scale, view: View): Name[] {
  const { levels = [], curves = [], names = [] } = view.answer.picture ?? {};
  if (!isAlone(view)) return [];
  const y = scaleOf(g);
  const points = curves.map((curve) => curve.pse.value ?? Number.NaN);
  const rises = doRise(curves);
  const leftmost = (points[0] ?? 0) <= (points[1] ?? 0) ? 0 : 1;
  const placed = (i: number, width: number): Name[] => {
    const curve = curves[i]!;
    const left = i === leftmost;
    const above = left === rises;
    const text = (names[i] ?? "").replace(/ or (?=[^ ]+$)/, ", ");
    const all = wrap(text, 12, width, true);
    const lines = all.slice(0, 2);
    if (all.length > 2) lines[1] = lines[1]!.replace(/,?$/, " …");
    const widest = Math.max(...lines.map((line) => textWidth(line, 12, true)));
    // Where the curve passes the lower, or the upper, edge of the text.
    const share = above ? 0.78 - 0.12 * (lines.length - 1) : 0.7;
    const level = levels.findIndex((_, k) =>
      rises ? curve.share[k]! >= share : curve.share[k]! <= share,
    );
    if (level < 0) return [];
    const at = x(levels[level]!) + (left ? -12 : 14);
    if (left ? at - widest < g.left : at + widest > g.right) return [];
    const top = y(above ? 0.78 : 0.7) + (above ? 0 : 16);
    const anchor = left ? "end" : "start";
    const box = boxOf(at, top, widest, anchor, lines.length);
    return [{ curve: i, lines, at, y: top, anchor, box }];
  };
  return curves.flatMap((curve, i) =>
    curve.beyond ? [] : (NAME_WIDTHS.map((width) => placed(i, width)).find(isSome) ?? []),
  );
}

const isSome = (found: readonly Name[]) => found.length > 0;

/** Bases of the lines of a name. */
export const basesOf = ({ y, lines }: Name) => lines.map((_, k) => y + NAME_LINE * k);

/** The number at each point that lies on the axis. */
function placePoints(g: Geometry, x: Scale, view: View, names: readonly Name[]): PointLabel[] {
  const { card, answer } = view;
  const y = scaleOf(g)(0.5);
  const curves = answer.picture?.curves ?? [];
  const onAxis = (value: number | null): value is number =>
    value !== null && value >= card.low && value <= card.high;
  const points = curves.map(({ pse }) => pse.value).filter(onAxis);
  const taken = [
    ...names.map(({ box }) => box),
    ...points.map((value) => around({ x: x(value), y }, 7)),
  ];
  return curves.flatMap(({ pse }, curve) => {
    const { value } = pse;
    if (!onAxis(value)) return [];
    const px = x(value);
    const other = curves[1 - curve]?.pse.value ?? null;
    const left = other === null || value < other || (value === other && curve === 0);
    const text = `PSE ${estimateText(pse, digitsOf(pse.low, pse.high))} ${card.unit}`;
    const width = textWidth(text, 12, true);
    const fits = left ? px - 12 - width > g.left : px + 12 + width >= g.right;
    const sides: Anchor[] = fits ? ["end", "start"] : ["start", "end"];
    const places = sides.flatMap((anchor) =>
      (left ? [-8, 20, -23, 35] : [20, -8, 35, -23]).map((dy) => {
        const at = anchor === "end" ? px - 10 : px + 11;
        return { at, y: y + dy, anchor, box: boxOf(at, y + dy, width, anchor) };
      }),
    );
    const free = places.find(
      ({ box }) =>
        box.left >= g.left && box.right <= g.right && !taken.some((other) => overlap(box, other)),
    );
    const place = free ?? places[0]!;
    taken.push(place.box);
    return [{ curve, text, value, ...place }];
  });
}

/** A share where the handle's level meets a curve. */
export interface Share {
  /** Where the curve is met. */
  y: number;
  /** Whether it is the higher one. */
  above: boolean;
  width: number;
}

interface Place {
  at: number;
  y: number;
  anchor: Anchor;
}

/**
 * Where the shares beside the handle stand: the higher one higher, apart from each other, and as far
 * as that can be clear of words and points.
 */
export function besideHandle(
  g: Geometry,
  at: number,
  shares: readonly Share[],
  boxes: readonly Box[],
): Place[] {
  const options = shares.map((share) =>
    placesOf(g, at, share).map((place) => {
      const box = boxOf(place.at, place.y, share.width, place.anchor);
      const inWay = boxes.filter((other) => overlap(box, other)).length;
      return { place, box, above: share.above, worth: inWay + (within(box, g) ? 0 : 1) };
    }),
  );
  const [one = [], other] = options;
  if (!other) return one.length === 0 ? [] : [least(one, ({ worth }) => worth).place];
  const pairs = one.flatMap((first) => other.map((second) => ({ first, second })));
  const { first, second } = least(pairs, ({ first: a, second: b }) => {
    const turned = a.above ? a.place.y > b.place.y : b.place.y > a.place.y;
    return a.worth + b.worth + (overlap(a.box, b.box) ? 9 : 0) + (turned ? 9 : 0);
  });
  return [first.place, second.place];
}

function placesOf(g: Geometry, at: number, { y, above, width }: Share): Place[] {
  const fits = above ? at + 10 + width < g.right : at - 44 < g.left;
  const sides: Anchor[] = fits ? ["start", "end"] : ["end", "start"];
  return sides.flatMap((anchor) =>
    (above ? [14, -6, -20, 58] : [-6, 14, 28, 58]).map((dy) => ({
      anchor,
      at: anchor === "start" ? at + 10 : at - 9,
      y: Math.min(Math.max(y + dy, g.top + 14), g.bottom - 5),
    })),
  );
}

/** The first of those that are worth least. */
const least = <T>(all: readonly T[], worth: (one: T) => number): T =>
  all.reduce((best, one) => (worth(one) < worth(best) ? one : best));
