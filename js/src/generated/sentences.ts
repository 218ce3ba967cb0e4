// Written by `make contract` from the Python state record. Do not edit.

export interface Command {
  id: number;
  name: string;
  args: Record<string, unknown>;
}

export interface SubjectOption {
  name: string;
  about: string;
  kind: string;
  replicates: number;
}

export interface Progress {
  done: number;
  total: number;
  message: string;
  seconds_left: number | null;
}

export interface Reply {
  id: number;
  ok: boolean;
  message: string;
  filename?: string;
  media_type?: string;
  content?: string;
}

export interface WordList {
  name: string;
  terms: string[];
  kind?: "items" | "groups" | "attributes" | "controls" | "cue_1" | "cue_2";
  of?: string[];
}

export interface Action {
  label: string;
  set?: Record<string, unknown>;
  command?: string;
  args?: Record<string, unknown>;
}

export interface Message {
  title: string;
  text: string;
  actions: Action[];
}

export interface DroppedTerm {
  term: string;
  role: string;
  reason: string;
  suggestions: string[];
}

export interface StepState {
  title: string;
  note: string;
  state: "closed" | "open" | "done";
  why: string;
}

export interface RunState {
  number: number;
  running: boolean;
  done: number;
  total: number;
  seconds: number;
  seconds_left: number | null;
  stale: boolean;
  unscored: number;
}

export interface Share {
  share: number | null;
  low: number | null;
  high: number | null;
  lean: -1 | 0 | 1;
  wins: number;
  losses: number;
  ties: number;
  failures: number;
  mean_log_odds: number | null;
}

export interface ModelRow {
  name: string;
  about: string;
  kind: string;
  scorer: string;
  scorer_label: string;
  formula: string;
  unit: string;
  state: "waiting" | "scoring" | "done" | "stopped" | "failed";
  message: string;
  scored: number;
  seconds: number;
  overall: Share;
  details: string[];
}

export interface ListRow {
  name: string;
  group: number;
}

export interface AttributeRow {
  name: string;
  list: string;
  group: number;
  shares: Share[];
  pairs: number[];
}

export interface Failure {
  pair: string;
  model: string;
  reason: string;
}

export interface Span {
  text: string;
  role: "plain" | "strong" | "group1" | "group2" | "quiet" | "with" | "against";
}

export interface Picture {
  groups: [string, string];
  run: RunState;
  models: ModelRow[];
  lists: ListRow[];
  attributes: AttributeRow[];
  bias_types: AttributeRow[];
  edges: [number, number];
  unit: string;
  failures: Failure[];
  comparisons: string[];
  verdict: Span[];
  caveat: string;
  footer: string[];
}

export interface Answer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  steps: StepState[];
  picture: Picture | null;
}

export interface TermMark {
  list: number;
  position: number;
  term: string;
  kind: "unknown" | "duplicate" | "overlap";
  reason: string;
  suggestions?: string[];
}

export interface PairRow {
  id: string;
  attribute: string;
  list: string;
  groups: [number, number];
  stereotyped: string;
  against: string;
  terms: [[number, number] | null, [number, number] | null];
  changes: [[number, number], [number, number]][];
  source: string;
  remark: string;
  edited: boolean;
}

export interface RejectedRow {
  id: string;
  text: string;
  attribute: string;
  code: string;
  reason: string;
  source: string;
}

export interface AttributeCount {
  name: string;
  list: string;
  pairs: number;
}

export interface Sentences {
  version: number;
  source: string;
  pairs: PairRow[];
  rejected: RejectedRow[];
  attributes: AttributeCount[];
  notes: string[];
  problems: string[];
  saved: number;
}

export interface PairScoresOf {
  model: string;
  log_odds: (number | null)[];
  outcomes: string;
}

export interface Scores {
  version: number;
  sentences: number;
  models: PairScoresOf[];
}

export interface Word {
  first: string;
  second: string;
  role: "same" | "term" | "agrees" | "changed" | "attribute";
  values: ([number | null, number | null, number | null])[];
}

export interface ModelDetail {
  name: string;
  log_score: number | null;
  log_score_against: number | null;
  log_odds: number | null;
  outcome: "s" | "a" | "t" | "f" | "-";
  ratio: string;
  failure: string;
}

export interface Detail {
  pair: string;
  place: string;
  words: Word[];
  models: ModelDetail[];
  unit: string;
  attribute: string;
  remark: string;
}

export interface ScorerOption {
  key: string;
  label: string;
  formula: string;
  about: string;
  source: string;
  kind: "mlm" | "clm";
}

export interface WriterOption {
  key: string;
  name: string;
  about: string;
  endpoint: boolean;
}

export interface PromptStyle {
  key: string;
  label: string;
  text: string;
}

export interface Making {
  done: number;
  total: number;
  message: string;
  seconds_left: number | null;
}

export interface SentenceBenchState {
  generation: number;
  command: Command;
  readonly subjects: SubjectOption[];
  readonly progress: Progress;
  readonly reply: Reply;
  step: number;
  lists: WordList[];
  spec: string;
  models: string[];
  level: number;
  seed: number;
  readonly answer: Answer;
  readonly marks: TermMark[];
  scorer_mlm: string;
  scorer_clm: string;
  pairing: "group" | "attribute";
  per_attribute: number;
  pair: string;
  detail_model: string;
  readonly sentences: Sentences;
  readonly scores: Scores;
  readonly detail: Detail;
  readonly scorers: ScorerOption[];
  readonly writers: WriterOption[];
  readonly prompt_styles: PromptStyle[];
  readonly writing: Making;
}

export const VIEW_FIELDS = ["detail_model"] as const;
