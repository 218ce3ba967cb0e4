/** What the word-list editor takes and gives; the records are those of Python's `word_lists.py`. */
import type { ReplyRecord } from "../commands";

/** Which field of a spec a list is saved in. */
export type ListKind = "items" | "groups" | "attributes" | "controls" | "cue_1" | "cue_2";

export interface WordList {
  name: string;
  terms: string[];
  kind?: ListKind;
  /** Groups that an attribute list is a stereotype of; kept from a loaded spec. */
  of?: string[];
}

export type MarkKind = "unknown" | "duplicate" | "overlap";

/** What is odd about one term. Sparse: a term without oddity has none, some have several. */
export interface TermMark {
  /** Index of the list and of the term in it. */
  list: number;
  position: number;
  term: string;
  kind: MarkKind;
  /** Such as "not in the vocabulary" or "also in men". */
  reason: string;
  /** Nearest known terms of an unknown one; missing where they were not looked for yet. */
  suggestions?: string[];
}

/** Sends a command to Python: `catalogue`, `load-spec`, `save-spec`, `read-spec` or `suggest`. */
export type OnCommand = (name: string, args?: Record<string, unknown>) => Promise<ReplyRecord>;

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
  /** "predefined", or the file of one's own. */
  where: string;
  /** Why it cannot be loaded, and what to do; empty when it can. */
  problem: string;
  lists: CatalogueList[];
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
