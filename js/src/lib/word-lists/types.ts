/** What the word-list editor takes and gives; the records are those of Python's `word_lists.py`. */
import type { Reply, TermMark, WordList } from "../../generated/shared";

export type { TermMark, WordList };

/** Which field of a spec a list is saved in. */
export type ListKind = NonNullable<WordList["kind"]>;

export type MarkKind = TermMark["kind"];

/** Sends a command to Python: `catalogue`, `load-spec`, `save-spec`, `delete-spec`, `read-spec` or `suggest`. */
export type OnCommand = (name: string, args?: Record<string, unknown>) => Promise<Reply>;

/** What becomes of odd words, in whole sentences. */
export interface Fate {
  unknown: { one: string; several: string };
  twice: string;
}

/** One list that a spec of the catalogue offers. */
export interface CatalogueList {
  name: string;
  kind: ListKind;
  count: number;
  /** Its first terms. */
  preview: string[];
}

export interface CatalogueEntry {
  name: string;
  title: string;
  source: string;
  /** Under which the source publishes the words; empty where a file of one's own says nothing. */
  licence: string;
  /** "predefined", or the file of one's own. */
  where: string;
  /** Why it cannot be loaded, and what to do; empty when it can. */
  problem: string;
  lists: CatalogueList[];
  /** What the person can do: share it with everybody on this server, or end that. */
  share?: "share" | "withdraw";
  /** There where it can be deleted. */
  own?: boolean;
}

export const ASKED: Fate = {
  unknown: {
    one: "It is left out, and counted.",
    several: "They are left out, and counted.",
  },
  twice: "It stays here, and is asked once.",
};

/** Most terms that the editor holds, and that Python takes. */
export const LIMIT = 20_000;
