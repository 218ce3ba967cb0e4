/** What an edit of the word lists makes of them: two groups, and attribute lists tied to them. */
import type { WordList } from "../word-lists/types";

export const groupsOf = (lists: readonly WordList[]) => lists.filter((l) => l.kind === "groups");
export const attributesOf = (lists: readonly WordList[]) =>
  lists.filter((l) => l.kind === "attributes");

export interface Edited {
  lists: WordList[];
  /** Lists that have no place here. */
  left: string[];
}

/** The lists after an edit: groups first; where a group was renamed its attribute lists follow. */
export function edited(before: readonly WordList[], next: readonly WordList[]): Edited {
  const own = next.map(asGroup);
  const renamed = renames(before, own);
  const follow = (list: WordList): WordList =>
    list.of?.some((name) => renamed.has(name))
      ? { ...list, of: list.of.map((name) => renamed.get(name) ?? name) }
      : list;
  const groups = groupsOf(own);
  const attributes = attributesOf(own).map(follow);
  const used = new Set([...groups, ...attributesOf(own)]);
  return {
    lists: [...groups, ...attributes],
    left: own.filter((list) => !used.has(list)).map((list) => list.name),
  };
}

/** The two sides of cue pairs are groups here. */
function asGroup(list: WordList): WordList {
  if (list.kind !== "cue_1" && list.kind !== "cue_2") return list;
  return { ...list, kind: "groups" };
}

/** Groups whose name alone has changed. */
function renames(before: readonly WordList[], next: readonly WordList[]): Map<string, string> {
  if (before.length !== next.length) return new Map();
  const moved = next.flatMap((list, i) => (list.name === before[i]!.name ? [] : [i]));
  if (moved.length !== 1) return new Map();
  const [was, is] = [before[moved[0]!]!, next[moved[0]!]!];
  if (was.kind !== "groups" || is.kind !== "groups") return new Map();
  return new Map([[was.name, is.name]]);
}
