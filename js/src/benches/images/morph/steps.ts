/** Where only some blends can be shown: the nearest one, and the next one under the keys. */

export function snapped(alpha: number, steps: readonly number[]): number {
  if (steps.length === 0) return alpha;
  return steps.reduce((best, step) =>
    Math.abs(step - alpha) < Math.abs(best - alpha) ? step : best,
  );
}

/** A key that moves a little moves by a step at least. */
export function stepped(from: number, to: number, steps: readonly number[]): number {
  const near = snapped(to, steps);
  if (steps.length === 0 || near !== snapped(from, steps) || to === from) return near;
  const up = steps.filter((step) => step > from);
  const down = steps.filter((step) => step < from);
  return (to > from ? up[0] : down.at(-1)) ?? near;
}
