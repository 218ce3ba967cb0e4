/** What the keys do on a stimulus handle; the same on every bench. */

export type HandleMove = { to: number } | { step: -1 | 1 } | { undo: true } | null;

interface Key {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

const round = (alpha: number) => Math.round(alpha * 10000) / 10000;
const within = (alpha: number) => Math.min(1, Math.max(0, round(alpha)));

/**
 * Where a key moves the handle, to which word it steps, or whether it undoes.
 *
 * Arrows move by 0.01, with Shift by 0.10; Home and End go to the ends; N to the neutral 0.50; P to
 * the PSE; up and down step through the words; Esc undoes.
 */
export function handleKey(event: Key, alpha: number, pse: number | null): HandleMove {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  const by = event.shiftKey ? 0.1 : 0.01;
  switch (event.key) {
    case "ArrowRight":
      return { to: within(alpha + by) };
    case "ArrowLeft":
      return { to: within(alpha - by) };
    case "PageUp":
      return { to: within(alpha + 0.1) };
    case "PageDown":
      return { to: within(alpha - 0.1) };
    case "Home":
      return { to: 0 };
    case "End":
      return { to: 1 };
    case "n":
    case "N":
      return { to: 0.5 };
    case "p":
    case "P":
      return pse === null || !Number.isFinite(pse) ? null : { to: within(pse) };
    case "ArrowDown":
      return { step: 1 };
    case "ArrowUp":
      return { step: -1 };
    case "Escape":
      return { undo: true };
    default:
      return null;
  }
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
