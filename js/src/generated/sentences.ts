// Written by `make contract` from the Python state record. Do not edit.

import {
  type Command,
  type DroppedTerm,
  type Line,
  type MakerOption,
  type Making,
  type Message,
  type Misfit,
  type Progress,
  type PromptOption,
  type Reply,
  type Span,
  type StepState,
  type SubjectOption,
  type TermMark,
  type TestProgress,
  type WordList,
  NO_LINE,
  NO_MAKING,
  NO_TEST_PROGRESS,
} from "./shared";

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
export const NO_SHARE: Share = { share: null, low: null, high: null, lean: 0, wins: 0, losses: 0, ties: 0, failures: 0, mean_log_odds: null };

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
export const NO_MODEL_ROW: ModelRow = { name: "", about: "", kind: "", scorer: "", scorer_label: "", formula: "", unit: "", state: "waiting", message: "", scored: 0, seconds: 0.0, overall: NO_SHARE, details: [] };

export interface ListRow {
  name: string;
  group: number;
}
export const NO_LIST_ROW: ListRow = { name: "", group: 0 };

export interface AttributeRow {
  name: string;
  list: string;
  group: number;
  shares: Share[];
  pairs: number[];
}
export const NO_ATTRIBUTE_ROW: AttributeRow = { name: "", list: "", group: 0, shares: [], pairs: [] };

export interface Failure {
  pair: string;
  model: string;
  reason: string;
}
export const NO_FAILURE: Failure = { pair: "", model: "", reason: "" };

export interface Picture {
  groups: [string, string];
  run: TestProgress;
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
export const NO_PICTURE: Picture = { groups: ["group 1", "group 2"], run: NO_TEST_PROGRESS, models: [], lists: [], attributes: [], bias_types: [], edges: [0.6, 1.6], unit: "nats", failures: [], comparisons: [], verdict: [], caveat: "", footer: [] };

export interface Answer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  steps: StepState[];
  picture: Picture | null;
}
export const NO_ANSWER: Answer = { generation: 0, state: "empty", message: null, unknown: null, dropped: [], steps: [], picture: null };

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
export const NO_PAIR_ROW: PairRow = { id: "", attribute: "", list: "", groups: [0, 0], stereotyped: "", against: "", terms: [null, null], changes: [], source: "", remark: "", edited: false };

export interface RejectedRow {
  id: string;
  text: string;
  attribute: string;
  code: string;
  reason: string;
  source: string;
}
export const NO_REJECTED_ROW: RejectedRow = { id: "", text: "", attribute: "", code: "", reason: "", source: "" };

export interface AttributeCount {
  name: string;
  list: string;
  pairs: number;
}
export const NO_ATTRIBUTE_COUNT: AttributeCount = { name: "", list: "", pairs: 0 };

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
export const NO_SENTENCES: Sentences = { version: 0, source: "", pairs: [], rejected: [], attributes: [], notes: [], problems: [], saved: 0 };

export interface PairScoresOf {
  model: string;
  log_odds: (number | null)[];
  outcomes: string;
}
export const NO_PAIR_SCORES_OF: PairScoresOf = { model: "", log_odds: [], outcomes: "" };

export interface Scores {
  version: number;
  sentences: number;
  models: PairScoresOf[];
}
export const NO_SCORES: Scores = { version: 0, sentences: 0, models: [] };

export interface Word {
  first: string;
  second: string;
  role: "same" | "term" | "agrees" | "changed" | "attribute";
  values: ([number | null, number | null, number | null])[];
}
export const NO_WORD: Word = { first: "", second: "", role: "same", values: [] };

export interface ModelDetail {
  name: string;
  log_score: number | null;
  log_score_against: number | null;
  log_odds: number | null;
  outcome: "s" | "a" | "t" | "f" | "-";
  ratio: string;
  failure: string;
}
export const NO_MODEL_DETAIL: ModelDetail = { name: "", log_score: null, log_score_against: null, log_odds: null, outcome: "s", ratio: "", failure: "" };

export interface Detail {
  pair: string;
  place: string;
  words: Word[];
  models: ModelDetail[];
  unit: string;
  attribute: string;
  remark: string;
}
export const NO_DETAIL: Detail = { pair: "", place: "", words: [], models: [], unit: "", attribute: "", remark: "" };

export interface ScorerOption {
  key: string;
  label: string;
  formula: string;
  about: string;
  source: string;
  kind: "mlm" | "clm";
}
export const NO_SCORER_OPTION: ScorerOption = { key: "", label: "", formula: "", about: "", source: "", kind: "mlm" };

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
  weighting: "groups" | "attributes" | "pairs";
  per_attribute: number;
  pair: string;
  detail_model: string;
  readonly sentences: Sentences;
  readonly scores: Scores;
  readonly detail: Detail;
  readonly scorers: ScorerOption[];
  readonly writers: MakerOption[];
  readonly prompt_styles: PromptOption[];
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
  weighting: "groups",
  per_attribute: 12,
  pair: "",
  detail_model: "",
} satisfies Partial<SentenceBenchState>;

export const OUTPUTS = {
  misfits: [],
  line: NO_LINE,
  marks: [],
  sentences: NO_SENTENCES,
  scores: NO_SCORES,
  detail: NO_DETAIL,
  scorers: [],
  writers: [],
  prompt_styles: [],
  writing: NO_MAKING,
} satisfies Partial<SentenceBenchState>;

export const LIMITS = {
  step: {"min": 1, "max": 3, "step": 1, "above": false, "integer": true},
  level: {"min": 0.5, "max": 0.999, "step": 0.01, "above": false, "integer": false},
  seed: {"min": 0, "max": 9007199254740991, "step": 1, "above": false, "integer": true},
  per_attribute: {"min": 1, "max": 100, "step": 1, "above": false, "integer": true},
  write_count: {"min": 1, "max": 100, "step": 1, "above": false, "integer": true},
};

export const VIEW_FIELDS = ["detail_model"] as const;

export const FIELDS = { defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS };

export type Inputs = Pick<SentenceBenchState, keyof typeof DEFAULTS>;

export type Outputs = Pick<SentenceBenchState, keyof typeof OUTPUTS>;
