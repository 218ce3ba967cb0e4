/** Which items of a long list are in sight. */

/** Where each item ends, from the top. */
export function heightsOf<T>(items: readonly T[], height: (item: T) => number): number[] {
  let sum = 0;
  return items.map((item) => {
    sum += height(item);
    return sum;
  });
}

/** The items between two places: the first, and the one after the last. */
export function within(ends: readonly number[], low: number, high: number): [number, number] {
  const after = (place: number) => {
    let [a, b] = [0, ends.length];
    while (a < b) {
      const middle = (a + b) >> 1;
      if (ends[middle]! <= place) a = middle + 1;
      else b = middle;
    }
    return a;
  };
  const from = after(Math.max(low, 0));
  return [Math.min(from, ends.length), Math.min(after(high) + 1, ends.length)];
}
