/** What one view of the editor knows: the lists, the subject, and Python's newest marks. */

import type { WordList } from "../../generated/shared";
import {
  FIELDS,
  type Inputs,
  NO_WORD_LIST_ANSWER,
  type Outputs,
  type WordListAnswer,
  type WordListEditorState,
} from "../../generated/word-lists";
import type { Host } from "../../host";
import { filled } from "../../lib/bench/records";
import { BenchStore, type BenchView } from "../../lib/bench/store";
import type { Clock } from "../../lib/coalesce";

export type { Inputs };

export type View = BenchView<Inputs, WordListAnswer> & Outputs;

export class Store extends BenchStore<Inputs, WordListAnswer, Record<never, never>, Outputs> {
  constructor(host: Host<WordListEditorState>, clock?: Clock) {
    const normal = (answer: Partial<WordListAnswer> | null | undefined) =>
      filled(answer, NO_WORD_LIST_ANSWER);
    super(host, { ...FIELDS, local: {}, normal }, clock);
  }
}

/** Lists in which nothing is missing; what is no list of terms is left to Python's message. */
export const wellFormed = (lists: readonly WordList[]): WordList[] =>
  lists.every(isWordList) ? (lists as WordList[]) : lists.filter(isWordList);

const isWordList = (list: Partial<WordList> | null) =>
  typeof list?.name === "string" &&
  Array.isArray(list.terms) &&
  list.terms.every((term) => typeof term === "string");
