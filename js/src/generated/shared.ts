// Written by `make contract` from the Python state record. Do not edit.

export interface Command {
  id: number;
  name: string;
  args: Record<string, unknown>;
}
export const NO_COMMAND: Command = { id: 0, name: "", args: {} };

export interface SubjectOption {
  name: string;
  about: string;
  kind: string;
  replicates: number;
  group: string;
  what: string;
}
export const NO_SUBJECT_OPTION: SubjectOption = { name: "", about: "", kind: "", replicates: 0, group: "", what: "" };

export interface Misfit {
  name: string;
  group: string;
  what: string;
  reason: string;
  bench: string;
  page: string;
}
export const NO_MISFIT: Misfit = { name: "", group: "", what: "", reason: "", bench: "", page: "" };

export interface Progress {
  done: number;
  total: number;
  message: string;
  seconds_left: number | null;
}
export const NO_PROGRESS: Progress = { done: 0.0, total: 0.0, message: "", seconds_left: null };

export interface JobInLine {
  title: string;
  own: boolean;
  place: number;
  done: number;
  total: number;
  seconds_left: number | null;
}
export const NO_JOB_IN_LINE: JobInLine = { title: "", own: false, place: 0, done: 0.0, total: 0.0, seconds_left: null };

export interface Line {
  jobs: JobInLine[];
  smaller: boolean;
  note: string;
}
export const NO_LINE: Line = { jobs: [], smaller: false, note: "" };

export interface Step {
  title: string;
  formula: string;
  numbers: string[];
  text: string;
}
export const NO_STEP: Step = { title: "", formula: "", numbers: [], text: "" };

export interface Citation {
  text: string;
  url: string;
}
export const NO_CITATION: Citation = { text: "", url: "" };

export interface How {
  about: string;
  steps: Step[];
  references: Citation[];
  guide: string;
}
export const NO_HOW: How = { about: "", steps: [], references: [], guide: "" };

export interface Reply {
  id: number;
  ok: boolean;
  message: string;
  filename?: string;
  media_type?: string;
  content?: string;
  how?: How;
}
export const NO_REPLY: Reply = { id: 0, ok: true, message: "" };

export interface TermMark {
  list: number;
  position: number;
  term: string;
  kind: "unknown" | "duplicate" | "overlap";
  reason: string;
  suggestions?: string[];
}
export const NO_TERM_MARK: TermMark = { list: 0, position: 0, term: "", kind: "unknown", reason: "" };

export interface Action {
  label: string;
  page?: string;
  set?: Record<string, unknown>;
  command?: string;
  args?: Record<string, unknown>;
}
export const NO_ACTION: Action = { label: "" };

export interface Message {
  title: string;
  text: string;
  actions: Action[];
}
export const NO_MESSAGE: Message = { title: "", text: "", actions: [] };

export interface DroppedTerm {
  term: string;
  role: string;
  reason: string;
  suggestions: string[];
}
export const NO_DROPPED_TERM: DroppedTerm = { term: "", role: "", reason: "", suggestions: [] };

export interface Span {
  text: string;
  role: "plain" | "strong" | "group1" | "group2" | "quiet" | "with" | "against";
}
export const NO_SPAN: Span = { text: "", role: "plain" };

export interface Fit {
  residual: number[];
  expected: number[];
  predicted: number[];
  describes: boolean;
  verdict: string;
}
export const NO_FIT: Fit = { residual: [], expected: [], predicted: [], describes: false, verdict: "" };

export interface WordList {
  name: string;
  terms: string[];
  kind?: "items" | "groups" | "attributes" | "controls" | "cue_1" | "cue_2";
  of?: string[];
}
export const NO_WORD_LIST: WordList = { name: "", terms: [] };

export interface StepState {
  title: string;
  note: string;
  state: "closed" | "open" | "done";
  why: string;
}
export const NO_STEP_STATE: StepState = { title: "", note: "", state: "closed", why: "" };

export interface TestProgress {
  number: number;
  running: boolean;
  done: number;
  total: number;
  seconds: number;
  seconds_left: number | null;
  stale: boolean;
  untested: number;
}
export const NO_TEST_PROGRESS: TestProgress = { number: 0, running: false, done: 0, total: 0, seconds: 0.0, seconds_left: null, stale: false, untested: 0 };

export interface MakerOption {
  key: string;
  name: string;
  about: string;
  endpoint: boolean;
}
export const NO_MAKER_OPTION: MakerOption = { key: "", name: "", about: "", endpoint: false };

export interface PromptOption {
  key: string;
  label: string;
  text: string;
}
export const NO_PROMPT_OPTION: PromptOption = { key: "", label: "", text: "" };

export interface Making {
  done: number;
  total: number;
  message: string;
  seconds_left: number | null;
}
export const NO_MAKING: Making = { done: 0, total: 0, message: "", seconds_left: null };

export interface CatalogueList {
  name: string;
  kind: "items" | "groups" | "attributes" | "controls" | "cue_1" | "cue_2";
  count: number;
  preview: string[];
}
export const NO_CATALOGUE_LIST: CatalogueList = { name: "", kind: "items", count: 0, preview: [] };
