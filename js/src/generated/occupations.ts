// Written by `make contract` from the Python state record. Do not edit.

import {
  type Command,
  type DroppedTerm,
  type Line,
  type Message,
  type Misfit,
  type Progress,
  type Reply,
  type Span,
  type SubjectOption,
  type TermMark,
  NO_LINE,
} from "./shared";

export interface Group {
  name: string;
  terms: string[];
}
export const NO_GROUP: Group = { name: "", terms: [] };

export interface Measure {
  value: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  points: ((number | null)[])[];
  axis: [number, number];
}
export const NO_MEASURE: Measure = { value: [], low: [], high: [], points: [], axis: [0.0, 1.0] };

export interface Contrast {
  group_1: string;
  group_2: string;
  pairs: [string, string][];
  pse: Measure;
  jnd: Measure;
  lean: number[];
  pair_sd: (number | null)[];
  reason: string[];
  lean_counts: [number, number, number];
}
export const NO_CONTRAST: Contrast = { group_1: "group 1", group_2: "group 2", pairs: [], pse: NO_MEASURE, jnd: NO_MEASURE, lean: [], pair_sd: [], reason: [], lean_counts: [0, 0, 0] };

export interface Correlation {
  value: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  reason: string;
}
export const NO_CORRELATION: Correlation = { value: null, low: null, high: null, p: null, reason: "" };

export interface Agreement {
  x_label: string;
  source: string;
  words: string[];
  x: number[];
  y: number[];
  pearson: Correlation;
  spearman: Correlation;
  line_x: number[];
  line_y: number[];
  line_low: number[];
  line_high: number[];
  excluded: DroppedTerm[];
  reason: string;
}
export const NO_AGREEMENT: Agreement = { x_label: "", source: "", words: [], x: [], y: [], pearson: NO_CORRELATION, spearman: NO_CORRELATION, line_x: [], line_y: [], line_low: [], line_high: [], excluded: [], reason: "" };

export interface MeasureRow {
  name: string;
  label: string;
  detail: string;
  pearson: Correlation;
  spearman: Correlation;
  gap: number | null;
  gap_low: number | null;
  gap_high: number | null;
}
export const NO_MEASURE_ROW: MeasureRow = { name: "", label: "", detail: "", pearson: NO_CORRELATION, spearman: NO_CORRELATION, gap: null, gap_low: null, gap_high: null };

export interface Comparison {
  words: number;
  rows: MeasureRow[];
  verdict: Span[];
  caveat: string;
}
export const NO_COMPARISON: Comparison = { words: 0, rows: [], verdict: [], caveat: "" };

export interface Ranking {
  order: number[][];
  first: number[][];
  caveat: string;
}
export const NO_RANKING: Ranking = { order: [], first: [], caveat: "" };

export interface Picture {
  words: string[];
  groups: string[];
  contrasts: Contrast[];
  verdict: Span[];
  caveat: string;
  why: string;
  agreement_pse: Agreement | null;
  agreement_jnd: Agreement | null;
  outside: (number | null)[];
  outside_label: string;
  comparison: Comparison | null;
  ranking: Ranking | null;
  interval_level: number;
  interval_over: string;
  middle: string;
  unit: string;
  jnd_label: string;
  footer: string[];
}
export const NO_PICTURE: Picture = { words: [], groups: [], contrasts: [], verdict: [], caveat: "", why: "", agreement_pse: null, agreement_jnd: null, outside: [], outside_label: "", comparison: null, ranking: null, interval_level: 0.95, interval_over: "resampled corpora", middle: "neutral", unit: "", jnd_label: "", footer: [] };

export interface Answer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  picture: Picture | null;
}
export const NO_ANSWER: Answer = { generation: 0, state: "empty", message: null, unknown: null, dropped: [], picture: null };

export interface OutsideOption {
  key: string;
  title: string;
  unit: string;
  source: string;
  own: boolean;
}
export const NO_OUTSIDE_OPTION: OutsideOption = { key: "", title: "", unit: "", source: "", own: false };

export interface OccupationsBenchState {
  generation: number;
  command: Command;
  readonly subjects: SubjectOption[];
  readonly misfits: Misfit[];
  readonly progress: Progress;
  readonly line: Line;
  readonly reply: Reply;
  subject: string;
  readonly marks: TermMark[];
  pairs_as: "resampled" | "fixed";
  curve: "auto" | "normal" | "logistic" | "weibull" | "gumbel" | "empirical";
  jnd: "quartile" | "eq6" | "sd";
  scoring: "eq8" | "mixture";
  words: string[];
  groups: Group[];
  pairing: "matched" | "all" | "sets";
  reference: "even" | "words" | "controls";
  adjust: "holm" | "none";
  controls: string[];
  outside: string;
  measure: "pse" | "jnd";
  contrast: number;
  sort: "value" | "word" | "width" | "outside" | "given";
  shown: "all" | "group_1" | "group_2" | "undecided";
  search: string;
  beside: "scatter" | "comparison";
  word: string;
  readonly answer: Answer;
  readonly outside_options: OutsideOption[];
  readonly psychometric: string;
}

export const DEFAULTS = {
  subject: "",
  pairs_as: "resampled",
  curve: "auto",
  jnd: "quartile",
  scoring: "eq8",
  words: [],
  groups: [],
  pairing: "matched",
  reference: "even",
  adjust: "holm",
  controls: [],
  outside: "",
  measure: "pse",
  contrast: 0,
  sort: "value",
  shown: "all",
  search: "",
  beside: "scatter",
  word: "",
} satisfies Partial<OccupationsBenchState>;

export const OUTPUTS = {
  misfits: [],
  line: NO_LINE,
  marks: [],
  outside_options: [],
  psychometric: "",
} satisfies Partial<OccupationsBenchState>;

export const LIMITS = {
  contrast: {"min": -1, "max": 4096, "step": 1, "above": false, "integer": true},
};

export const VIEW_FIELDS = ["measure", "sort", "shown", "search", "word"] as const;

export const FIELDS = { defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS };

export type Inputs = Pick<OccupationsBenchState, keyof typeof DEFAULTS>;

export type Outputs = Pick<OccupationsBenchState, keyof typeof OUTPUTS>;
