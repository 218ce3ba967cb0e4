/** Where the words beside the curve stand, so that nothing else is drawn through them. */
import type { Jnd, Picture } from "../../../generated/psychometric";
import { type Anchor, type Box, boxOf } from "../../../lib/boxes";
import { fixed, percent } from "../../../lib/format";
import { linear, type Scale } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import type { Geometry } from "../layout";

interface Placed {
  at: number;
  y: number;
  anchor: Anchor;
  box: Box;
}

export interface JndPlace extends Placed {
  jnd: Jnd;
  /** The bracket that defines it. */
  from: number;
  to: number;
  start: number;
  leader: number;
  /** In short lines, where neither side has room. */
  tight: boolean;
  value: string;
  range: string;
}

export interface PsePlace extends Placed {
  label: string;
  /** The point itself lies on the axis. */
  inside: boolean;
}

const SIZE = 12;

/** The JND as the bracket that defines it, at the level of its upper end. */
export function jndPlace(g: Geometry, x: Scale, { jnd, curve }: Picture): JndPlace | null {
  if (!jnd || !Number.isFinite(jnd.start) || !Number.isFinite(jnd.end)) return null;
  const [from, to] = [x(jnd.start), x(jnd.end)];
  if (from < g.left || to > g.right || to < from) return null;
  const y = linear([0, 1], [g.bottom, g.top]);
  // A step is steeper than the curve's sampling: its bracket does not touch the PSE all the same.
  const level = y(Math.max(0.7, shareAt(curve, jnd.end)));
  const value = `JND ${fixed(jnd.value * 100, 1)} points`;
  const ends = jnd.interval?.map((end) => fixed(end * 100, 1));
  const range = ends?.join("\u2013") ?? "";
  const widest = Math.max(textWidth(`${value}  ${range}`, SIZE, true), textWidth(jnd.label, 11));
  const rightSide = to + 34 + widest < g.right;
  const tight = !rightSide && from - 20 - widest < g.left + 4;
  const own = { jnd, from, to, start: y(shareAt(curve, jnd.start)), y: level + 4, value, range };
  if (tight) {
    const right = g.right - to > from - g.left;
    const at = right ? Math.min(to + 8, g.right - 88) : Math.max(from - 8, g.left + 88);
    const anchor = right ? "start" : "end";
    return { ...own, tight, at, anchor, leader: to, box: boxOf(at, level + 4, 88, anchor, 3) };
  }
  const leader = rightSide ? to + 28 : from - 14;
  const at = rightSide ? leader + 5 : leader - 5;
  const anchor = rightSide ? "start" : "end";
  return { ...own, tight, at, anchor, leader, box: boxOf(at, level + 4, widest, anchor, 2) };
}

export function psePlace(g: Geometry, x: Scale, picture: Picture): PsePlace | null {
  const { pse, pse_at, corpus, cue_2 } = picture;
  if (!Number.isFinite(pse) || pse_at === "none") return null;
  const y = (g.top + g.bottom) / 2 + 18;
  const digits = corpus && corpus[1] - corpus[0] < 0.05 ? 1 : 0;
  const name = pse_at === "beyond" ? "PSE beyond" : `PSE ${percent(pse, digits)} ${cue_2}`;
  const point = x(pse);
  const inside = point >= g.left && point <= g.right;
  const left = point < g.left;
  const label = inside ? name : left ? `\u2190 ${name}` : `${name} \u2192`;
  const width = textWidth(label, 13, true);
  const right = inside ? point + 18 + width < g.right : left;
  const at = inside ? point + (right ? 14 : -14) : left ? g.left + 12 : g.right - 12;
  const anchor = right ? "start" : "end";
  return { at, y, anchor, label, inside, box: boxOf(at, y, width, anchor) };
}

export interface SideName {
  text: string;
  group: 1 | 2;
  at: number;
  y: number;
  anchor: Anchor;
  box: Box;
}

/** The two sides by name, where their tint has room. */
export function sideNames(
  g: Geometry,
  x: Scale,
  { cue_1, cue_2 }: Picture,
  switches: readonly number[],
): SideName[] {
  const n = switches.length;
  if (n === 0) return [];
  const pad = g.narrow ? 10 : 17;
  const upper = x(switches[Math.floor((n - 1) * 0.9)]!);
  const lower = x(switches[Math.ceil((n - 1) * 0.1)]!);
  const named = (group: 1 | 2, cue: string, at: number, y: number, anchor: Anchor): SideName => {
    const text = `answers ${cue}`;
    return { text, group, at, y, anchor, box: boxOf(at, y, textWidth(text, SIZE, true), anchor) };
  };
  const first = named(1, cue_1, g.left + pad, g.top + 19, "start");
  const second = named(2, cue_2, g.right - pad, g.bottom - 11, "end");
  return [first, second].filter(({ group, box }) =>
    group === 1 ? box.right + 8 < upper : lower < box.left - 8,
  );
}

export function labelBoxes(g: Geometry, x: Scale, picture: Picture): Box[] {
  return [jndPlace(g, x, picture), psePlace(g, x, picture)].flatMap((one) =>
    one ? [one.box] : [],
  );
}

/** What the count beside the dot keeps clear of: words, the JND's bracket and the curve. */
export function obstacles(
  g: Geometry,
  x: Scale,
  picture: Picture,
  switches: readonly number[],
): Box[] {
  const { alpha, share } = picture.curve;
  const y = linear([0, 1], [g.bottom, g.top]);
  const jnd = jndPlace(g, x, picture);
  const bracket = jnd ? [{ left: jnd.from, right: jnd.to, top: jnd.y - 7, bottom: jnd.y - 1 }] : [];
  const points = alpha.map((a, i) => {
    const [left, top] = [x(a), y(share[i]!) - 1];
    return { left, right: left + 1, top, bottom: top + 2 };
  });
  const names = sideNames(g, x, picture, switches).map(({ box }) => box);
  return [...labelBoxes(g, x, picture), ...names, ...bracket, ...points];
}

export function shareAt({ alpha: alphas, share }: Picture["curve"], alpha: number): number {
  const i = alphas.findIndex((a) => a >= alpha);
  if (i <= 0) return share[i < 0 ? share.length - 1 : 0] ?? 0.5;
  const part = (alpha - alphas[i - 1]!) / (alphas[i]! - alphas[i - 1]! || 1);
  return share[i - 1]! + part * (share[i]! - share[i - 1]!);
}
