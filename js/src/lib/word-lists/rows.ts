/** How chips of known widths fall into rows, so that only rows in view need to be drawn. */

/** Index of the first chip of each row. */
export function packRows(widths: ArrayLike<number>, room: number, gap: number): number[] {
  const starts: number[] = [];
  let used = Number.POSITIVE_INFINITY;
  for (let i = 0; i < widths.length; i++) {
    const width = Math.min(widths[i]!, room);
    if (used + gap + width > room) {
      starts.push(i);
      used = width;
    } else used += gap + width;
  }
  return starts;
}

/** The row of chip `i`. */
export function rowOf(starts: readonly number[], i: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= i) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The chip `by` rows below `i` whose centre is nearest; stays within the rows. */
export function vertical(
  starts: readonly number[],
  widths: ArrayLike<number>,
  gap: number,
  i: number,
  by: number,
): number {
  const row = rowOf(starts, i);
  const to = Math.min(starts.length - 1, Math.max(0, row + by));
  if (to === row) return i;
  const want = centres(starts, widths, gap, row)[i - starts[row]!]!;
  const there = centres(starts, widths, gap, to);
  let best = 0;
  for (let k = 1; k < there.length; k++)
    if (Math.abs(there[k]! - want) < Math.abs(there[best]! - want)) best = k;
  return starts[to]! + best;
}

function centres(
  starts: readonly number[],
  widths: ArrayLike<number>,
  gap: number,
  row: number,
): number[] {
  const rows: number[] = [];
  let x = 0;
  for (let i = starts[row]!; i < (starts[row + 1] ?? widths.length); i++) {
    rows.push(x + widths[i]! / 2);
    x += widths[i]! + gap;
  }
  return rows;
}

/** Rows [from, to) to draw for what is scrolled into view, and `spare` more on each side. */
export function rowsInView(
  scrollTop: number,
  seen: number,
  rowHeight: number,
  count: number,
  spare = 3,
): [number, number] {
  const from = Math.max(0, Math.floor(scrollTop / rowHeight) - spare);
  const to = Math.min(count, Math.ceil((scrollTop + seen) / rowHeight) + spare);
  // Scrolled beyond the end for a moment, while the list has become shorter.
  return [Math.min(from, Math.max(0, to - 1)), to];
}
