/** Paths of drawn marks, in CSS pixels. */

/** A tenth of a pixel is all that is seen. */
export const px = (v: number) => Math.round(v * 10) / 10;

/** Many upright ticks as one path. */
export function tickPath(xs: readonly number[], y: number, height: number): string {
  const top = px(y - height / 2);
  let path = "";
  for (const x of xs) path += `M${px(x)} ${top}v${height}`;
  return path;
}
