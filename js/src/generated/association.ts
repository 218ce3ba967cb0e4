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
  WordList,
} from "./shared";

export interface Priors {
  word_mean: number;
  word_scale: number;
  connection_scale: number;
  noise_scale: number;
  word_sd: number;
  term_sd: number;
}

export interface SimulationInputs {
  means: number[];
  sd: number;
  words: number;
  attributes: number;
}

export interface Protected {
  word: string;
  group: string;
}

export interface Term {
  term: string;
  list: string;
}

export interface Connection {
  key: "associated" | "different" | "human" | "none";
  label: string;
  distances: number;
  mac: number | null;
}

export interface Estimate {
  value: number;
  low: number;
  high: number;
}

export interface Contrast {
  first: "associated" | "different" | "human" | "none";
  second: "associated" | "different" | "human" | "none";
  label: string;
  value: number;
  low: number;
  high: number;
}

export interface Coefficient {
  key: "associated" | "different" | "human" | "none";
  value: number;
  low: number;
  high: number;
}

export interface Posterior {
  model: "crossed" | "pooled" | "per-word";
  words: ((Estimate | null)[])[];
  contrasts: Contrast[];
  coefficients: Coefficient[];
  milliseconds: number;
}

export interface Weat {
  groups: [string, string];
  attributes: [string, string];
  statistic: number;
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
}

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

export interface Simulation {
  edges: number[];
  counts: number[];
  mean: number;
  low: number;
  high: number;
  ceiling: number;
  share_beyond: number;
  text: string;
}

export interface Check {
  state: "none" | "running" | "done" | "failed";
  text: string;
  rhat: number | null;
  ess: number | null;
}

export interface Score {
  model: "crossed" | "pooled" | "per-word" | "crossed-equal";
  elpd: number;
  se: number;
  behind: number;
  behind_se: number;
  unreliable: number;
}

export interface Scores {
  state: "none" | "running" | "done" | "failed";
  text: string;
  rows: Score[];
}

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

export interface Answer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  picture: Picture | null;
}

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
  priors: {"word_mean": 1.0, "word_scale": 0.5, "connection_scale": 1.0, "noise_scale": 1.0, "word_sd": 0.25, "term_sd": 0.25},
  debiasing: "none",
  replicate: -1,
  shown: "data",
  simulation: {"means": [0.0, 0.0, 0.0, 0.0], "sd": 0.05, "words": 2, "attributes": 5},
  word: "",
} satisfies Partial<AssociationBenchState>;

export const OUTPUTS = {
  misfits: [],
  line: {"jobs": [], "smaller": false, "note": ""},
  marks: [],
} satisfies Partial<AssociationBenchState>;

export const VIEW_FIELDS = ["step", "word"] as const;
