/** Runs that one page has deleted and the next page offers to bring back. */
const KEY = "biaslab-deleted-runs";

export const leaveDeleted = (ids: readonly string[]) =>
  sessionStorage.setItem(KEY, JSON.stringify(ids));

/** The ids that were left, once. */
export function takeDeleted(): string[] {
  const left = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return left ? JSON.parse(left) : [];
}
