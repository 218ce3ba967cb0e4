/** Where the gap's bracket, its intervals and its words stand. */

import { type Anchor, type Box, boxOf } from "../../lib/boxes";
import { fixed } from "../../lib/format";
import { clamp, type Scale } from "../../lib/scale";
import { textWidth } from "../../lib/textwidth";
import type { Geometry } from "./layout";
import { isAlone, type View } from "./store";
import { digitsOf, levelText, rangeText } from "./texts";

interface Line {
  look: string;
  size: number;
  text: string;
}

export interface GapPlace {
  value: number;
  /** The level that the gap is counted from. */
  from: number;
  /** Ends of the bracket: no gap, and the gap. */
  zero: number;
  point: number;
  /** Ends of its intervals, inside the plot. */
  wide: [number, number];
  these: [number, number];
  /** Within which groups count as alike. */
  band: [number, number];
  lines: readonly Line[];
  at: number;
  /** Bases of the lines. */
  tops: readonly number[];
  /** What names the band, where that has room. */
  alike: { lines: readonly string[]; at: number; y: number; anchor: Anchor } | null;
  anchor: Anchor;
  boxes: readonly Box[];
}

/** The gap between the two points; null where there is none. */
export function placeGap(g: Geometry, x: Scale, view: View): GapPlace | null {
  const { picture } = view.answer;
  const gap = picture?.gap ?? null;
  const alone = isAlone(view);
  const from = alone ? (picture?.curves[0]?.pse.value ?? null) : 0;
  if (!picture || !gap || gap.value === null || from === null) return null;
  // Of a quality of which less is better the second group's point lies below the first's.
  const second = alone ? picture.curves[1]?.pse.value : null;
  const sign =
    alone && second != null && gap.value !== 0 && (second - from) * gap.value < 0 ? -1 : 1;
  const at = (value: number) => x(from + sign * value);
  const inside = (value: number | null, open: number) =>
    clamp(value === null ? open : at(value), g.left, g.right);
  const margin = view.inputs.alike;
  const marks = {
    value: gap.value,
    from,
    zero: inside(0, 0),
    point: inside(gap.value, 0),
    wide: [
      inside(gap.low, sign > 0 ? g.left : g.right),
      inside(gap.high, sign > 0 ? g.right : g.left),
    ] as [number, number],
    these: [inside(gap.these_low, g.left), inside(gap.these_high, g.right)] as [number, number],
    band: [at(-margin), at(margin)].sort((a, b) => a - b) as [number, number],
  };
  const text = placeText(g, view, marks);
  const alike = placeAlike(g, view, marks.band, text.anchor);
  const width = Math.max(...(alike?.lines ?? []).map((line) => textWidth(line, 11)));
  const named = alike ? [boxOf(alike.at, alike.y, width, alike.anchor, 2)] : [];
  return { ...marks, ...text, alike, boxes: [...text.boxes, ...named] };
}

/** The name of the band, on the side that the words of the gap leave free. */
function placeAlike(
  g: Geometry,
  { inputs, card }: View,
  band: readonly [number, number],
  words: Anchor,
): GapPlace["alike"] {
  const lines = ["treated alike:", `within ± ${levelText(inputs.alike)} ${card.unit}`];
  const width = textWidth(lines[1]!, 11);
  const before = words === "start";
  const edge = clamp(band[before ? 0 : 1], g.left, g.right);
  const at = before ? edge - 8 : edge + 8;
  const fits = before ? at - width > g.left - 42 : at + width < g.right;
  if (g.narrow || !fits) return null;
  return { lines, at, y: g.gapTop + 4, anchor: before ? "end" : "start" };
}

function placeText(
  g: Geometry,
  view: View,
  { wide, zero, point, band }: Pick<GapPlace, "wide" | "zero" | "point" | "band">,
): Pick<GapPlace, "lines" | "at" | "tops" | "anchor" | "boxes"> {
  const ends = [...wide, point, zero];
  const rightmost = Math.max(...ends, clamp(band[1], g.left, g.right));
  const leftmost = Math.min(...ends, clamp(band[0], g.left, g.right));
  const fits = (lines: readonly Line[]) => rightmost + 12 + widthOf(lines) < g.width;
  const named = view.card.group_names.every((name) => name.endsWith("names")) ? "names" : "cues";
  const [long, short] = [`${named} and wordings like these`, "others like these"].map((of) =>
    written(view, of),
  ) as [Line[], Line[]];
  const lines = !g.narrow && fits(long) ? long : short;
  const right = fits(lines);
  const anchor = g.narrow || right ? "start" : "end";
  const at = g.narrow
    ? g.left
    : right
      ? rightmost + 12
      : Math.max(g.left + widthOf(lines), leftmost - 12);
  const tops = [0, 16, 31].map((down) => g.gapTextTop + down);
  const boxes = lines.map((line, i) => boxOf(at, tops[i]!, lineWidth(line), anchor));
  return { lines, at, tops, anchor, boxes };
}

const lineWidth = ({ text, size }: Line) => textWidth(text, size, size === 13);
const widthOf = (lines: readonly Line[]) => Math.max(...lines.map(lineWidth));

function written({ answer, card }: View, of: string): Line[] {
  const { gap, level } = answer.picture!;
  const { value, low, high, these_low, these_high } = gap!;
  const digits = digitsOf(low, high);
  // One more than the wide interval has: "1.965 to 2.005" beside "1.3 to 2.7" says too much.
  const fine = Math.min(digits + 1, digitsOf(these_low, these_high));
  return [
    { look: "t13 bold", size: 13, text: `gap ${fixed(value ?? 0, digits)} ${card.unit}` },
    {
      look: "t12",
      size: 12,
      text: `${Math.round(100 * level)} %: ${rangeText(low, high, digits)}, ${of}`,
    },
    {
      look: "t11 ink2",
      size: 11,
      text: `${rangeText(these_low, these_high, fine)}, just these`,
    },
  ];
}
