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

export interface RunState {
  number: number;
  running: boolean;
  stage: string;
  done: number;
  total: number;
  seconds: number;
  seconds_left: number | null;
  draws: number;
  chains: number;
  acceptance: number | null;
  divergences: number;
  stale: boolean;
  partial: boolean;
}

export interface PriorOption {
  key: string;
  name: string;
  text: string;
}

export interface Trust {
  state: "none" | "running" | "yes" | "not-yet";
  text: string;
}

export interface Quantity {
  name: string;
  label: string;
  rhat: number | null;
  rhat_limit: number;
  rhat_path: number[];
  rhat_draws: number[];
  ess_bulk: number | null;
  ess_tail: number | null;
  mcse: number | null;
  mean: number | null;
  sd: number | null;
  autocorrelation: number[];
  bound: number;
}

export interface Outline {
  label: string;
  exact: boolean;
  centre: [number, number];
  axes: [[number, number], [number, number]];
}

export interface PlaneWord {
  word: string;
  x: number;
  y: number;
  polarity: number | null;
  difference: number | null;
}

export interface Plane {
  axes: "pca" | "difference";
  axis_labels: [string, string];
  shares: [number, number];
  extent: [number, number, number, number];
  outlines: Outline[];
  words: PlaneWord[];
  warning: string;
}

export interface WordRow {
  word: string;
  distance: number;
  low: number;
  high: number;
  rank: number;
  polarity: number | null;
  difference: number | null;
}

export interface Words {
  lexicon: string;
  total: number;
  unknown: number;
  closest: WordRow[];
  farthest: WordRow[];
  picked: WordRow | null;
  neutral: number | null;
  distance_label: string;
  interval_label: string;
}

export interface Member {
  word: string;
  distance: number;
}

export interface GroupRow {
  name: string;
  mean: number;
  low: number;
  high: number;
  members: Member[];
}

export interface Groups {
  rows: GroupRow[];
  difference: number;
  low: number;
  high: number;
  d: number | null;
  p: number;
  text: string;
}

export interface Correlation {
  label: string;
  pearson: number;
  low: number;
  high: number;
  n: number;
}

export interface Review {
  text: string;
  label: string;
  distance: number;
}

export interface Picture {
  run: RunState;
  label: string;
  labels: string[];
  other: string;
  engine: string;
  prior: PriorOption;
  width: number;
  trust: Trust;
  verdict: Span[];
  facts: string[];
  quantities: Quantity[];
  worst_dimension: number;
  dimensions: number;
  oracle: string;
  plane: Plane | null;
  words: Words | null;
  groups: Groups | null;
  groups_reason: string;
  correlations: Correlation[];
  reviews: Review[];
  reviews_reason: string;
  caveat: string;
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

export interface Packed {
  shape: number[];
  low: number;
  high: number;
  data: string;
}

export interface Trace {
  name: string;
  label: string;
  warmup: number;
  lines: Packed;
  strips: Packed;
  low: number;
  high: number;
}

export interface Traces {
  run: number;
  version: number;
  label: string;
  quantities: Trace[];
}

export interface Cloud {
  label: string;
  points: Packed;
}

export interface Clouds {
  run: number;
  version: number;
  axes: "pca" | "difference";
  clouds: Cloud[];
}

export interface PosteriorBenchState {
  generation: number;
  command: Command;
  readonly subjects: SubjectOption[];
  readonly misfits: Misfit[];
  readonly progress: Progress;
  readonly line: Line;
  readonly reply: Reply;
  subject: string;
  readonly marks: TermMark[];
  label: string;
  prior: string;
  prior_width: number;
  engine: "vectorised" | "nuts" | "exact" | "choices";
  chains: number;
  draws: number;
  seed: number;
  axes: "pca" | "difference";
  distance: "angular" | "half-cosine" | "cosine" | "euclidean";
  centre: "prior" | "origin";
  word: string;
  rows: number;
  shown_dimensions: number[];
  lists: WordList[];
  readonly answer: Answer;
  readonly labels: string[];
  readonly priors: PriorOption[];
  readonly traces: Traces;
  readonly clouds: Clouds;
}

export const DEFAULTS = {
  subject: "",
  label: "positive",
  prior: "stimuli",
  prior_width: 1.0,
  engine: "vectorised",
  chains: 64,
  draws: 1000,
  seed: 0,
  axes: "difference",
  distance: "angular",
  centre: "prior",
  word: "",
  rows: 6,
  shown_dimensions: [],
  lists: [],
} satisfies Partial<PosteriorBenchState>;

export const OUTPUTS = {
  misfits: [],
  line: {"jobs": [], "smaller": false, "note": ""},
  marks: [],
  labels: [],
  priors: [],
  traces: {"run": 0, "version": 0, "label": "", "quantities": []},
  clouds: {"run": 0, "version": 0, "axes": "difference", "clouds": []},
} satisfies Partial<PosteriorBenchState>;

export const VIEW_FIELDS = [] as const;
