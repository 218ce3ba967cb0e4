/** What the keys do on a handle, in a list and in a grid. */
import { clamp } from "./scale";

interface Reach {
  low: number;
  high: number;
  /** By how much an arrow moves, and with Shift. */
  step: number;
  far: number;
}

export const SHARE: Reach = { low: 0, high: 1, step: 0.01, far: 0.1 };

/**
 * Where a key moves a handle; null for any other key.
 *
 * Home and End go to the ends, and letters to the places that they stand for: N to the neutral value.
 */
export function handleKey(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  now: number,
  { low, high, step, far }: Reach = SHARE,
  places: Readonly<Record<string, number | null>> = {},
): number | null {
  const by = shiftKey ? far : step;
  const to = {
    ArrowRight: now + by,
    ArrowUp: now + by,
    ArrowLeft: now - by,
    ArrowDown: now - by,
    PageUp: now + far,
    PageDown: now - far,
    Home: low,
    End: high,
    ...places,
  }[key.length === 1 ? key.toLowerCase() : key];
  return Number.isFinite(to) ? clamp(Number(to!.toFixed(4)), low, high) : null;
}

/** Where a key leads in a list of `count`; null for any other key. */
export function listKey(key: string, at: number, count: number): number | null {
  const to = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + 10,
    PageUp: at - 10,
    Home: 0,
    End: count - 1,
  }[key];
  return to === undefined || count === 0 ? null : clamp(to, 0, count - 1);
}

/** Where an arrow moves in a grid of `count` items in `columns`; null for any other key. */
export function gridKey(key: string, index: number, count: number, columns: number): number | null {
  const moves: Record<string, number> = {
    ArrowRight: index + 1,
    ArrowLeft: index - 1,
    ArrowDown: index + columns,
    ArrowUp: index - columns,
    Home: 0,
    End: count - 1,
    PageDown: Math.min(index + 4 * columns, count - 1),
    PageUp: Math.max(index - 4 * columns, 0),
  };
  const to = moves[key];
  if (to === undefined) return null;
  return to < 0 || to >= count ? index : to;
}
