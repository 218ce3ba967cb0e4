/** What has changed between two JSON values, and putting them together again; see `delta.py`. */

/**
 * `[value]` replaces, `[]` takes a member away, an object holds the deltas of members, or what is
 * to be spliced into a list: the place, how many members go, and those that come.
 */
export type Delta = readonly [] | readonly [unknown] | Members | Splice;
interface Members {
  readonly [member: string]: Delta;
}
interface Splice {
  readonly splice: readonly [place: number, removed: number, added: readonly unknown[]];
}

/** The value that a delta makes of another; what has not changed is the same object as before. */
export function patched(before: unknown, delta: Delta): unknown {
  if (isReplacement(delta)) return delta[0];
  if (Array.isArray(before)) {
    if ("splice" in delta) {
      const [place, removed, added] = (delta as Splice).splice;
      return [...before.slice(0, place), ...added, ...before.slice(place + removed)];
    }
    const members = [...before];
    for (const [place, change] of Object.entries(delta as Members)) {
      members[Number(place)] = patched(members[Number(place)], change);
    }
    return members;
  }
  const made = new Map(Object.entries((before ?? {}) as object));
  for (const [name, change] of Object.entries(delta as Members)) {
    if (isReplacement(change) && change.length === 0) made.delete(name);
    else made.set(name, patched(made.get(name), change));
  }
  return Object.fromEntries(made); // a member may be called __proto__
}

const isReplacement = (delta: Delta): delta is readonly [] | readonly [unknown] =>
  Array.isArray(delta);
