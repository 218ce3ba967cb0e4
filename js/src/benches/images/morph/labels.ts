/** Where the words at the curve of the morphs stand. */
import type { MorphPicture } from "../../../generated/images";
import { type Anchor, type Box, boxOf } from "../../../lib/boxes";
import { percentRange, points } from "../../../lib/format";
import { clamp } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import type { CurveGeometry } from "./layout";

interface Label {
  text: string;
  at: number;
  base: number;
  anchor: Anchor;
  box: Box;
}

/** The number at the PSE, or why there is none. */
export function pseLabel(g: CurveGeometry, { pse, pse_at }: MorphPicture): Label {
  const base = g.y(0.5) + 17;
  const placed = (text: string, at: number, anchor: Anchor): Label => {
    const box = boxOf(at, base, textWidth(text, 12, true), anchor);
    return { text, at, base, anchor, box };
  };
  if (pse_at === "at") {
    const [at, text] = [g.x(pse), `PSE ${points(pse)} %`];
    const fits = at + 14 + textWidth(text, 12, true) < g.width;
    return fits ? placed(text, at + 11, "start") : placed(text, at - 11, "end");
  }
  const text = pse_at === "beyond" ? "the PSE lies beyond this axis" : "no PSE";
  return pse_at === "beyond" && pse < 0.5
    ? placed(text, g.left + 6, "start")
    : placed(text, g.right - 6, "end");
}

/** The interval in words: beside its line, or over it where neither side has room. */
export function intervalLabel(
  g: CurveGeometry,
  { interval, interval_over }: MorphPicture,
): Label | null {
  if (!interval) return null;
  const [low, high] = interval;
  const range = low === null || high === null ? "open" : percentRange([low, high], 0);
  const text = `${range} over ${interval_over}`;
  const wide = textWidth(text, 11);
  const [from, to] = [g.x(clamp(low ?? 0, 0, 1)), g.x(clamp(high ?? 1, 0, 1))];
  const right = to + 10 + wide <= g.width;
  const left = from - 10 - wide >= 0;
  const at = right ? to + 8 : left ? from - 8 : g.width;
  const base = g.intervalY + (right || left ? 4 : -5);
  const anchor = right ? "start" : "end";
  return { text, at, base, anchor, box: boxOf(at, base, wide, anchor) };
}

/** Where words stand that the line of the handle keeps clear of. */
export function wordBoxes(g: CurveGeometry, picture: MorphPicture | null): Box[] {
  if (!picture) return [];
  const interval = intervalLabel(g, picture);
  return [pseLabel(g, picture).box, ...(interval ? [interval.box] : [])];
}
