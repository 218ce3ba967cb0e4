/** Which of the lists stand for what, and what an edit of some of them makes of all. */

import type { TermMark, WordList } from "../../generated/shared";
import { whole } from "../../lib/format";

export type Part = "groups" | "stereotypes" | "human" | "neutral";

export const PARTS: { part: Part; title: string }[] = [
  { part: "groups", title: "Groups" },
  { part: "stereotypes", title: "Stereotypes" },
  { part: "human", title: "Human control" },
  { part: "neutral", title: "Neutral control" },
];

export function partOf(list: WordList): Part | null {
  if (list.kind === "groups") return "groups";
  if (list.kind === "attributes") return "stereotypes";
  if (list.kind === "controls") return /human/i.test(list.name) ? "human" : "neutral";
  return null;
}

/** The lists of a part; a control that is not there yet is an empty one. */
export function listsOf(lists: readonly WordList[], part: Part): WordList[] {
  const own = lists.filter((list) => partOf(list) === part);
  if (own.length > 0 || part === "groups" || part === "stereotypes") return own;
  return [{ name: part, terms: [], kind: "controls" }];
}

/** Marks of a part's lists, counted in that part. */
export function marksOf(lists: readonly WordList[], marks: readonly TermMark[], part: Part) {
  const places = new Map<number, number>();
  lists.forEach((list, i) => {
    if (partOf(list) === part) places.set(i, places.size);
  });
  return marks.flatMap((mark) => {
    const list = places.get(mark.list);
    return list === undefined ? [] : [{ ...mark, list }];
  });
}

export interface Edited {
  lists: WordList[];
  /** Lists of a loaded spec that have no place here. */
  left: string[];
}

/**
 * All lists after an edit of one part's.
 *
 * Lists of other kinds among the new ones come from a loaded spec, or were added: where old lists
 * of the part are gone they replace those of their own part, else they join them.
 */
export function edited(all: readonly WordList[], part: Part, next: readonly WordList[]): Edited {
  const sided = next.map(asGroup);
  const own = sided.filter((list) => partOf(list) === part);
  const others = sided.filter((list) => partOf(list) !== part);
  const placed = others.filter((list) => partOf(list) !== null);
  const names = new Set(next.map((list) => list.name));
  const kept = all.filter((list) => partOf(list) === part).every((list) => names.has(list.name));
  const loaded = others.length > 1 || !kept;
  const replaced = new Set(loaded ? placed.map(partOf) : []);
  const rest = all.filter((list) => {
    const of = partOf(list);
    return of !== part && !replaced.has(of);
  });
  return {
    lists: inOrder([...rest, ...own, ...placed]),
    left: others.filter((list) => partOf(list) === null).map((list) => list.name),
  };
}

/** The two sides of cue pairs are groups here. */
function asGroup(list: WordList): WordList {
  if (list.kind !== "cue_1" && list.kind !== "cue_2") return list;
  return { ...list, kind: "groups" };
}

const inOrder = (lists: WordList[]) =>
  PARTS.flatMap(({ part }) => lists.filter((list) => partOf(list) === part));

/** What a loaded spec makes of the lists: all of them are its own. */
export function fromSpec(lists: readonly WordList[]): Edited {
  const sided = lists.map(asGroup);
  return {
    lists: inOrder(sided),
    left: sided.filter((list) => partOf(list) === null).map((list) => list.name),
  };
}

/** "3 groups, 15 words", or "214 of 242 known". */
export function countText(part: Part, lists: readonly WordList[], unknown = 0): string {
  const n = lists.reduce((sum, list) => sum + list.terms.length, 0);
  if (unknown > 0) return `${whole(n - unknown)} of ${whole(n)} known`;
  const words = `${whole(n)} ${n === 1 ? "word" : "words"}`;
  return part === "groups"
    ? `${lists.length} ${lists.length === 1 ? "group" : "groups"}, ${words}`
    : words;
}
