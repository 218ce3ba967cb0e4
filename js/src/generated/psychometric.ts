// Written by `make contract` from the Python state record. Do not edit.

import {
  type Command,
  type DroppedTerm,
  type Fit,
  type Line,
  type Message,
  type Misfit,
  type Progress,
  type Reply,
  type Span,
  type SubjectOption,
  type TermMark,
  NO_LINE,
  NO_PROGRESS,
} from "./shared";

export interface Rows {
  replicate: number[];
  pair: number[];
  switch: number[];
  sim_1: number[];
  sim_2: number[];
  sim_cues: number[];
  answers: number[][];
}
export const NO_ROWS: Rows = { replicate: [], pair: [], switch: [], sim_1: [], sim_2: [], sim_cues: [], answers: [] };

export interface Curve {
  alpha: number[];
  share: number[];
  low: number[];
  high: number[];
  family: string;
}
export const NO_CURVE: Curve = { alpha: [], share: [], low: [], high: [], family: "" };

export interface Levels {
  alpha: number[];
  share: number[];
}
export const NO_LEVELS: Levels = { alpha: [], share: [] };

export interface Jnd {
  value: number;
  interval: [number, number] | null;
  start: number;
  end: number;
  label: string;
}
export const NO_JND: Jnd = { value: 0.0, interval: null, start: 0.0, end: 0.0, label: "" };

export interface Picture {
  word: string;
  cue_1: string;
  cue_2: string;
  pairs: [string, string][];
  verdict: Span[];
  caveat: string;
  lean: "cue_1" | "cue_2" | "none" | "unknown";
  rows: Rows;
  row_noise: number;
  curve: Curve;
  levels: Levels;
  fit: Fit | null;
  pse: number;
  pse_at: "at" | "beyond" | "none";
  corpus: [number, number] | null;
  monte_carlo: [number, number] | null;
  interval_level: number;
  interval_over: string;
  jnd: Jnd | null;
  axis: [number, number];
  outside: number;
  unit: string;
  available: number;
  names: string[];
  footer: string[];
}
export const NO_PICTURE: Picture = { word: "", cue_1: "cue 1", cue_2: "cue 2", pairs: [], verdict: [], caveat: "", lean: "unknown", rows: NO_ROWS, row_noise: 0.0, curve: NO_CURVE, levels: NO_LEVELS, fit: null, pse: 0.5, pse_at: "at", corpus: null, monte_carlo: null, interval_level: 0.95, interval_over: "resampled corpora", jnd: null, axis: [0.0, 1.0], outside: 0, unit: "", available: 0, names: [], footer: [] };

export interface Answer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  picture: Picture | null;
  position: string;
}
export const NO_ANSWER: Answer = { generation: 0, state: "empty", message: null, unknown: null, dropped: [], picture: null, position: "" };

export interface LayerPoint {
  layer: number;
  name: string;
  pse: number | null;
  corpus: [number, number] | null;
  jnd: number | null;
  jnd_interval: [number, number] | null;
  even: number;
  even_interval: [number, number] | null;
  lean: "cue_1" | "cue_2" | "none" | "unknown";
  share: number[];
}
export const NO_LAYER_POINT: LayerPoint = { layer: 0, name: "", pse: null, corpus: null, jnd: null, jnd_interval: null, even: 0.0, even_interval: null, lean: "cue_1", share: [] };

export interface Layered {
  state: "none" | "working" | "ready" | "error";
  current: boolean;
  word: string;
  problem: string;
  progress: Progress;
  cue_1: string;
  cue_2: string;
  verdict: Span[];
  caveat: string;
  alpha: number[];
  layers: LayerPoint[];
  before: number;
  after: number;
  arises: boolean;
}
export const NO_LAYERED: Layered = { state: "none", current: false, word: "", problem: "", progress: NO_PROGRESS, cue_1: "", cue_2: "", verdict: [], caveat: "", alpha: [], layers: [], before: -1, after: -1, arises: false };

export interface ShownPassage {
  line: number;
  pull: number;
  low: number;
  high: number;
  text: Span[];
}
export const NO_SHOWN_PASSAGE: ShownPassage = { line: 0, pull: 0.0, low: 0.0, high: 0.0, text: [] };

export interface Traced {
  state: "none" | "working" | "ready" | "error";
  offered: boolean;
  possible: boolean;
  current: boolean;
  word: string;
  problem: string;
  progress: Progress;
  cue_1: string;
  cue_2: string;
  verdict: Span[];
  caveat: string;
  checked: boolean;
  toward_1: ShownPassage[];
  toward_2: ShownPassage[];
}
export const NO_TRACED: Traced = { state: "none", offered: false, possible: false, current: false, word: "", problem: "", progress: NO_PROGRESS, cue_1: "", cue_2: "", verdict: [], caveat: "", checked: false, toward_1: [], toward_2: [] };

export interface PsychometricBenchState {
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
  word: string;
  words: string[];
  pairs: [string, string][];
  selected_pairs: number[];
  alpha: number;
  noise: number;
  prior_sd: number;
  decision: "maximise" | "sample";
  rates: "free" | "equal" | "none";
  replicates: number;
  levels: number;
  language: "en" | "de" | "es" | "fr" | "it" | "nl" | "pl" | "pt" | "tr";
  frame_design: "neutral" | "both" | "feminine" | "masculine";
  layer: number;
  all_layers: boolean;
  fit_axis: boolean;
  residuals: boolean;
  readonly answer: Answer;
  readonly layered: Layered;
  readonly traced: Traced;
}

export const DEFAULTS = {
  subject: "",
  pairs_as: "resampled",
  curve: "auto",
  jnd: "quartile",
  scoring: "eq8",
  word: "",
  words: [],
  pairs: [["female", "male"], ["woman", "man"], ["girl", "boy"], ["sister", "brother"], ["she", "he"], ["her", "him"], ["hers", "his"], ["daughter", "son"]],
  selected_pairs: [0],
  alpha: 0.5,
  noise: 0.0,
  prior_sd: 0.0,
  decision: "maximise",
  rates: "free",
  replicates: 0,
  levels: 21,
  language: "en",
  frame_design: "neutral",
  layer: 0,
  all_layers: false,
  fit_axis: false,
  residuals: false,
} satisfies Partial<PsychometricBenchState>;

export const OUTPUTS = {
  misfits: [],
  line: NO_LINE,
  marks: [],
  layered: NO_LAYERED,
  traced: NO_TRACED,
} satisfies Partial<PsychometricBenchState>;

export const LIMITS = {
  selected_pairs: {"min": 0, "max": 10000, "step": 1, "above": false, "integer": true},
  alpha: {"min": 0, "max": 1, "step": 0.01, "above": false, "integer": false},
  noise: {"min": 0, "max": 0.5, "step": 0.01, "above": false, "integer": false},
  prior_sd: {"min": 0, "max": 1, "step": 0.01, "above": false, "integer": false},
  replicates: {"min": 0, "max": 4096, "step": 1, "above": false, "integer": true},
  levels: {"min": 3, "max": 101, "step": 1, "above": false, "integer": true},
  layer: {"min": 0, "max": 1024, "step": 1, "above": false, "integer": true},
};

export const VIEW_FIELDS = ["alpha", "residuals"] as const;

export const FIELDS = { defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS };

export type Inputs = Pick<PsychometricBenchState, keyof typeof DEFAULTS>;

export type Outputs = Pick<PsychometricBenchState, keyof typeof OUTPUTS>;
