/** Pure operations on lists: each gives new lists and leaves those it got as they are. */
import type { ListKind, WordList } from "./types";

type Lists = readonly WordList[];

const collator = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });

export const total = (lists: Lists) => lists.reduce((n, list) => n + list.terms.length, 0);

export function sameLists(a: Lists, b: Lists): boolean {
  return a === b || (a.length === b.length && a.every((list, i) => sameList(list, b[i]!)));
}

function sameList(a: WordList, b: WordList): boolean {
  if (a === b) return true;
  if (a.name !== b.name || (a.kind ?? "items") !== (b.kind ?? "items")) return false;
  return sameTerms(a.of ?? [], b.of ?? []) && sameTerms(a.terms, b.terms);
}

export const sameTerms = (a: readonly string[], b: readonly string[]) =>
  a === b || (a.length === b.length && a.every((term, i) => term === b[i]));

export function setTerms(lists: Lists, index: number, terms: string[]): WordList[] {
  return lists.map((list, i) => (i === index ? { ...list, terms } : list));
}

export function insert(lists: Lists, index: number, before: number, terms: readonly string[]) {
  const old = lists[index]!.terms;
  return setTerms(lists, index, [...old.slice(0, before), ...terms, ...old.slice(before)]);
}

export function remove(lists: Lists, index: number, positions: ReadonlySet<number>) {
  return setTerms(
    lists,
    index,
    lists[index]!.terms.filter((_, i) => !positions.has(i)),
  );
}

export const replace = (lists: Lists, index: number, position: number, term: string) =>
  setTerms(lists, index, lists[index]!.terms.with(position, term));

/** Moves terms, in their order, before a term of the same or another list; where they then are. */
export function move(
  lists: Lists,
  from: number,
  positions: ReadonlySet<number>,
  to: number,
  before: number,
): { lists: WordList[]; at: number } {
  const moved = lists[from]!.terms.filter((_, i) => positions.has(i));
  const taken = remove(lists, from, positions);
  let at = before;
  if (from === to) for (const i of positions) if (i < before) at--;
  return { lists: insert(taken, to, at, moved), at };
}

export const sorted = (terms: readonly string[]) => terms.toSorted(collator.compare);

export function addList(lists: Lists, wanted: string, kind: ListKind, terms: string[] = []) {
  return [...lists, { name: freeName(lists, wanted), terms, kind }];
}

export const removeList = (lists: Lists, index: number) => lists.filter((_, i) => i !== index);

/** Renames a list; attribute lists that belong to the group follow. */
export function renameList(lists: Lists, index: number, wanted: string): WordList[] {
  const old = lists[index]!.name;
  const name = freeName(removeList(lists, index), wanted);
  const follow = (of: string[]) => of.map((group) => (group === old ? name : group));
  return lists.map((list, i) => {
    const named = i === index ? { ...list, name } : list;
    return lists[index]!.kind === "groups" && named.of?.includes(old)
      ? { ...named, of: follow(named.of) }
      : named;
  });
}

/** A name that no list has: "women", then "women 2". */
export function freeName(lists: Lists, wanted: string): string {
  const names = new Set(lists.map((list) => list.name));
  if (!names.has(wanted)) return wanted;
  let n = 2;
  while (names.has(`${wanted} ${n}`)) n++;
  return `${wanted} ${n}`;
}
