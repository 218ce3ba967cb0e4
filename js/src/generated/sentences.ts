// Written by `make contract` from the Python state record. Do not edit.

import type {
  Command,
  DroppedTerm,
  Line,
  Making,
  Message,
  Misfit,
  Progress,
  Reply,
  Span,
  StepState,
  SubjectOption,
  TermMark,
  WordList,
} from "./shared";

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

export interface SentenceBenchState {
  generation: number;
  command: Command;
  readonly subjects: SubjectOption[];
  readonly misfits: Misfit[];
  readonly progress: Progress;
  readonly line: Line;
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
  weighting: "attributes" | "pairs";
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

export const DEFAULTS = {
  step: 1,
  lists: [],
  spec: "",
  models: [],
  level: 0.95,
  seed: 0,
  scorer_mlm: "pll",
  scorer_clm: "log-likelihood",
  pairing: "group",
  weighting: "attributes",
  per_attribute: 12,
  pair: "",
  detail_model: "",
} satisfies Partial<SentenceBenchState>;

export const OUTPUTS = {
  misfits: [],
  line: {"jobs": [], "smaller": false, "note": ""},
  marks: [],
  sentences: {"version": 0, "source": "", "pairs": [], "rejected": [], "attributes": [], "notes": [], "problems": [], "saved": 0},
  scores: {"version": 0, "sentences": 0, "models": []},
  detail: {"pair": "", "place": "", "words": [], "models": [], "unit": "", "attribute": "", "remark": ""},
  scorers: [],
  writers: [],
  prompt_styles: [],
  writing: {"done": 0, "total": 0, "message": "", "seconds_left": null},
} satisfies Partial<SentenceBenchState>;

export const VIEW_FIELDS = ["detail_model"] as const;
