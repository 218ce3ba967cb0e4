// Written by `make contract` from the Python state record. Do not edit.

import {
  type CatalogueList,
  type Command,
  type DroppedTerm,
  type Line,
  type Message,
  type Misfit,
  type Progress,
  type Reply,
  type SubjectOption,
  type TermMark,
  type WordList,
  NO_LINE,
} from "./shared";

export interface ListUse {
  title: string;
  page: string;
}
export const NO_LIST_USE: ListUse = { title: "", page: "" };

export interface LibraryEntry {
  name: string;
  title: string;
  source: string;
  licence: string;
  where: string;
  problem: string;
  lists: CatalogueList[];
  share?: "share" | "withdraw";
  own?: boolean;
  terms: number;
  known: number | null;
  uses: ListUse[];
}
export const NO_LIBRARY_ENTRY: LibraryEntry = { name: "", title: "", source: "", licence: "", where: "", problem: "", lists: [], terms: 0, known: null, uses: [] };

export interface WordListAnswer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  marks: TermMark[];
  picture: null;
}
export const NO_WORD_LIST_ANSWER: WordListAnswer = { generation: 0, state: "empty", message: null, unknown: null, dropped: [], marks: [], picture: null };

export interface WordListEditorState {
  generation: number;
  command: Command;
  readonly subjects: SubjectOption[];
  readonly misfits: Misfit[];
  readonly progress: Progress;
  readonly line: Line;
  readonly reply: Reply;
  subject: string;
  lists: WordList[];
  fixed: boolean;
  readonly library: LibraryEntry[];
  readonly answer: WordListAnswer;
}

export const DEFAULTS = {
  subject: "",
  lists: [],
  fixed: false,
} satisfies Partial<WordListEditorState>;

export const OUTPUTS = {
  misfits: [],
  line: NO_LINE,
  library: [],
} satisfies Partial<WordListEditorState>;

export const LIMITS = {
};

export const VIEW_FIELDS = [] as const;

export const FIELDS = { defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS };

export type Inputs = Pick<WordListEditorState, keyof typeof DEFAULTS>;

export type Outputs = Pick<WordListEditorState, keyof typeof OUTPUTS>;
