/** Which term carries which marks: found by the term itself, so that marks stay right meanwhile. */
import type { TermMark, WordList } from "./types";

export interface Notes {
  unknown: number;
  duplicates: number;
  overlaps: number;
  /** Marks of the terms that have any, by position; unknown first, then duplicate, overlap. */
  at: ReadonlyMap<number, TermMark[]>;
}

/**
 * Marks by list, placed on the lists as they are now.
 *
 * Python's answer is a few frames behind an edit, when positions have moved. A term is as unknown
 * wherever it stands; of a duplicate, the last ones are marked.
 */
export function annotate(lists: readonly WordList[], marks: readonly TermMark[]): Notes[] {
  if (marks.length === 0)
    return lists.map(() => ({ unknown: 0, duplicates: 0, overlaps: 0, at: new Map() }));
  const unknown = new Map<string, TermMark>();
  const overlap = new Map<number, Map<string, TermMark>>();
  const duplicate = new Map<number, Map<string, TermMark[]>>();
  for (const mark of marks) {
    if (mark.kind === "unknown") unknown.set(mark.term, mark);
    else if (mark.kind === "overlap") of(overlap, mark.list).set(mark.term, mark);
    else {
      const place = of(duplicate, mark.list);
      if (!place.get(mark.term)?.push(mark)) place.set(mark.term, [mark]);
    }
  }
  return lists.map(({ terms }, l) => {
    const at = new Map<number, TermMark[]>();
    const shared = overlap.get(l);
    const twice = duplicate.get(l);
    const left = new Map<string, TermMark[]>();
    const notes = { unknown: 0, duplicates: 0, overlaps: 0, at };
    for (let i = terms.length - 1; i >= 0; i--) {
      const term = terms[i]!;
      const marks: TermMark[] = [];
      const no = unknown.get(term);
      if (no) {
        notes.unknown++;
        marks.push(no);
      }
      if (twice?.has(term)) {
        const rest = left.get(term) ?? [...twice.get(term)!];
        left.set(term, rest);
        const mark = rest.pop();
        if (mark) {
          notes.duplicates++;
          marks.push(mark);
        }
      }
      const both = shared?.get(term);
      if (both) {
        notes.overlaps++;
        marks.push(both);
      }
      if (marks.length > 0) at.set(i, marks);
    }
    return notes;
  });
}

function of<V>(maps: Map<number, Map<string, V>>, key: number): Map<string, V> {
  const map = maps.get(key) ?? new Map<string, V>();
  maps.set(key, map);
  return map;
}
