// Written by `make contract` from the Python state record. Do not edit.

import type {
  Command,
  DroppedTerm,
  Line,
  Message,
  Misfit,
  Progress,
  Reply,
  Span,
  SubjectOption,
  TermMark,
} from "./shared";

export interface Group {
  name: string;
  terms: string[];
}

export interface Measure {
  value: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  points: ((number | null)[])[];
  axis: [number, number];
}

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

export interface Correlation {
  value: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  reason: string;
}

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

export interface Comparison {
  words: number;
  rows: MeasureRow[];
  verdict: Span[];
  caveat: string;
}

export interface Ranking {
  order: number[][];
  first: number[][];
  caveat: string;
}

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

export interface Answer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  picture: Picture | null;
}

export interface OutsideOption {
  key: string;
  title: string;
  unit: string;
  source: string;
  own: boolean;
}

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
  curve: "normal" | "logistic" | "weibull" | "gumbel" | "empirical";
  jnd: "quartile" | "eq6" | "sd";
  scoring: "eq8" | "mixture";
  words: string[];
  groups: Group[];
  pairing: "matched" | "all" | "sets";
  reference: "even" | "words" | "controls";
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
  curve: "normal",
  jnd: "quartile",
  scoring: "eq8",
  words: [],
  groups: [],
  pairing: "matched",
  reference: "even",
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
  line: {"jobs": [], "smaller": false, "note": ""},
  marks: [],
  outside_options: [],
  psychometric: "",
} satisfies Partial<OccupationsBenchState>;

export const VIEW_FIELDS = ["measure", "sort", "shown", "search", "word"] as const;
