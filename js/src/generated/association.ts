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
  type WordList,
  NO_LINE,
} from "./shared";

export interface Priors {
  word_mean: number;
  word_scale: number;
  connection_scale: number;
  noise_scale: number;
  word_sd: number;
  term_sd: number;
}
export const NO_PRIORS: Priors = { word_mean: 1.0, word_scale: 0.5, connection_scale: 1.0, noise_scale: 1.0, word_sd: 0.25, term_sd: 0.25 };

export interface SimulationInputs {
  means: number[];
  sd: number;
  words: number;
  attributes: number;
  first_words: boolean;
  seed: number;
}
export const NO_SIMULATION_INPUTS: SimulationInputs = { means: [0.0, 0.0, 0.0, 0.0], sd: 0.05, words: 2, attributes: 5, first_words: false, seed: 0 };

export interface Protected {
  word: string;
  group: string;
}
export const NO_PROTECTED: Protected = { word: "", group: "" };

export interface Term {
  term: string;
  list: string;
}
export const NO_TERM: Term = { term: "", list: "" };

export interface Connection {
  key: "associated" | "different" | "human" | "none";
  label: string;
  distances: number;
  mac: number | null;
}
export const NO_CONNECTION: Connection = { key: "associated", label: "", distances: 0, mac: null };

export interface Estimate {
  value: number;
  low: number;
  high: number;
}
export const NO_ESTIMATE: Estimate = { value: 0.0, low: 0.0, high: 0.0 };

export interface Contrast {
  first: "associated" | "different" | "human" | "none";
  second: "associated" | "different" | "human" | "none";
  label: string;
  value: number;
  low: number;
  high: number;
}
export const NO_CONTRAST: Contrast = { first: "associated", second: "associated", label: "", value: 0.0, low: 0.0, high: 0.0 };

export interface Coefficient {
  key: "associated" | "different" | "human" | "none";
  value: number;
  low: number;
  high: number;
}
export const NO_COEFFICIENT: Coefficient = { key: "associated", value: 0.0, low: 0.0, high: 0.0 };

export interface Posterior {
  model: "crossed" | "pooled" | "per-word";
  words: ((Estimate | null)[])[];
  contrasts: Contrast[];
  coefficients: Coefficient[];
  milliseconds: number;
}
export const NO_POSTERIOR: Posterior = { model: "crossed", words: [], contrasts: [], coefficients: [], milliseconds: 0.0 };

export interface Weat {
  groups: [string, string];
  attributes: [string, string];
  statistic: number;
  statistic_low: number | null;
  statistic_high: number | null;
  effect_size: number | null;
  low: number | null;
  high: number | null;
  ceiling: number;
  ddof: number;
  p: number;
  exceed: number;
  partitions: number;
  exact: boolean;
  null_edges: number[];
  null_counts: number[];
  replicates: number[];
  people: string;
}
export const NO_WEAT: Weat = { groups: ["", ""], attributes: ["", ""], statistic: 0.0, statistic_low: null, statistic_high: null, effect_size: null, low: null, high: null, ceiling: 0.0, ddof: 0, p: 0.0, exceed: 0, partitions: 0, exact: false, null_edges: [], null_counts: [], replicates: [], people: "" };

export interface Side {
  name: string;
  connections: Connection[];
  distances: number[][][];
  terms: number[][][];
  means: ((number | null)[])[];
  total: number;
  mac: number | null;
  posteriors: Posterior[];
  weat: Weat | null;
  weat_reason: string;
}
export const NO_SIDE: Side = { name: "", connections: [], distances: [], terms: [], means: [], total: 0, mac: null, posteriors: [], weat: null, weat_reason: "" };

export interface DrawnWord {
  name: string;
  to_a: number[];
  to_b: number[];
  association: number;
}
export const NO_DRAWN_WORD: DrawnWord = { name: "", to_a: [], to_b: [], association: 0.0 };

export interface Simulation {
  edges: number[];
  counts: number[];
  mean: number;
  low: number;
  high: number;
  ceiling: number;
  share_beyond: number;
  words: DrawnWord[];
  drawn: string;
  text: string;
}
export const NO_SIMULATION: Simulation = { edges: [], counts: [], mean: 0.0, low: 0.0, high: 0.0, ceiling: 0.0, share_beyond: 0.0, words: [], drawn: "", text: "" };

export interface Check {
  state: "none" | "running" | "done" | "failed";
  text: string;
  rhat: number | null;
  ess: number | null;
}
export const NO_CHECK: Check = { state: "none", text: "", rhat: null, ess: null };

export interface Score {
  model: "crossed" | "pooled" | "per-word" | "crossed-equal";
  elpd: number;
  se: number;
  behind: number;
  behind_se: number;
  unreliable: number;
}
export const NO_SCORE: Score = { model: "crossed", elpd: 0.0, se: 0.0, behind: 0.0, behind_se: 0.0, unreliable: 0 };

export interface Scores {
  state: "none" | "running" | "done" | "failed";
  text: string;
  rows: Score[];
}
export const NO_SCORES: Scores = { state: "none", text: "", rows: [] };

export interface Picture {
  protected: Protected[];
  terms: Term[];
  axis: [number, number];
  posterior_axis: [number, number];
  before: Side;
  after: Side | null;
  after_reason: string;
  verdict: Span[];
  warning: Span[];
  caveat: string;
  coefficient_warning: string;
  simulation: Simulation | null;
  check: Check;
  scores: Scores;
  replicates: number;
  interval_level: number;
  footer: string[];
}
export const NO_PICTURE: Picture = { protected: [], terms: [], axis: [0.0, 2.0], posterior_axis: [0.5, 1.5], before: NO_SIDE, after: null, after_reason: "", verdict: [], warning: [], caveat: "", coefficient_warning: "", simulation: null, check: NO_CHECK, scores: NO_SCORES, replicates: 1, interval_level: 0.89, footer: [] };

export interface Answer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  picture: Picture | null;
}
export const NO_ANSWER: Answer = { generation: 0, state: "empty", message: null, unknown: null, dropped: [], picture: null };

export interface AssociationBenchState {
  generation: number;
  command: Command;
  readonly subjects: SubjectOption[];
  readonly misfits: Misfit[];
  readonly progress: Progress;
  readonly line: Line;
  readonly reply: Reply;
  subject: string;
  readonly marks: TermMark[];
  lists: WordList[];
  model: "crossed" | "pooled" | "per-word";
  step: number;
  weat_groups: string[];
  weat_attributes: string[];
  ddof: number;
  alternative: "greater" | "less" | "two-sided";
  level: number;
  priors: Priors;
  debiasing: "none" | "hard" | "soft";
  replicate: number;
  shown: "data" | "simulation";
  simulation: SimulationInputs;
  word: string;
  readonly answer: Answer;
}

export const DEFAULTS = {
  subject: "",
  lists: [],
  model: "crossed",
  step: 1,
  weat_groups: [],
  weat_attributes: [],
  ddof: 1,
  alternative: "greater",
  level: 0.89,
  priors: NO_PRIORS,
  debiasing: "none",
  replicate: -1,
  shown: "data",
  simulation: NO_SIMULATION_INPUTS,
  word: "",
} satisfies Partial<AssociationBenchState>;

export const OUTPUTS = {
  misfits: [],
  line: NO_LINE,
  marks: [],
} satisfies Partial<AssociationBenchState>;

export const LIMITS = {
  step: {"min": 1, "max": 4, "step": 1, "above": false, "integer": true},
  ddof: {"min": 0, "max": 1, "step": 1, "above": false, "integer": true},
  level: {"min": 0.5, "max": 0.99, "step": 0.01, "above": false, "integer": false},
  priors: {"word_mean": {"min": -100, "max": 100, "step": 0.05, "above": false, "integer": false}, "word_scale": {"min": 0, "max": 100, "step": 0.05, "above": true, "integer": false}, "connection_scale": {"min": 0, "max": 100, "step": 0.05, "above": true, "integer": false}, "noise_scale": {"min": 0, "max": 100, "step": 0.05, "above": true, "integer": false}, "word_sd": {"min": 0, "max": 100, "step": 0.05, "above": true, "integer": false}, "term_sd": {"min": 0, "max": 100, "step": 0.05, "above": true, "integer": false}},
  replicate: {"min": -1, "max": 4096, "step": 1, "above": false, "integer": true},
  simulation: {"means": {"min": -1, "max": 1, "step": 0.01, "above": false, "integer": false}, "sd": {"min": 0, "max": 1, "step": 0.001, "above": true, "integer": false}, "words": {"min": 2, "max": 50, "step": 1, "above": false, "integer": true}, "attributes": {"min": 1, "max": 100, "step": 1, "above": false, "integer": true}, "seed": {"min": 0, "max": 9999, "step": 1, "above": false, "integer": true}},
};

export const VIEW_FIELDS = ["step", "word"] as const;

export const FIELDS = { defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS };

export type Inputs = Pick<AssociationBenchState, keyof typeof DEFAULTS>;

export type Outputs = Pick<AssociationBenchState, keyof typeof OUTPUTS>;
