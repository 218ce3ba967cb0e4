/** The run after those that are deleted, or else the one before them. */
export function neighbour(ids: readonly string[], gone: readonly string[]): string | undefined {
  const left = new Set(gone);
  const last = Math.max(...gone.map((id) => ids.indexOf(id)));
  const after = ids.slice(last + 1).find((id) => !left.has(id));
  return after ?? ids.slice(0, Math.max(last, 0)).findLast((id) => !left.has(id));
}
