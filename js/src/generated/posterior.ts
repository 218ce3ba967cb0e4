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
export const NO_RUN_STATE: RunState = { number: 0, running: false, stage: "", done: 0, total: 0, seconds: 0.0, seconds_left: null, draws: 0, chains: 0, acceptance: null, divergences: 0, stale: false, partial: false };

export interface PriorOption {
  key: string;
  name: string;
  text: string;
}
export const NO_PRIOR_OPTION: PriorOption = { key: "", name: "", text: "" };

export interface Trust {
  state: "none" | "running" | "yes" | "not-yet";
  text: string;
}
export const NO_TRUST: Trust = { state: "none", text: "" };

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
export const NO_QUANTITY: Quantity = { name: "", label: "", rhat: null, rhat_limit: 1.01, rhat_path: [], rhat_draws: [], ess_bulk: null, ess_tail: null, mcse: null, mean: null, sd: null, autocorrelation: [], bound: 0.0 };

export interface Outline {
  label: string;
  exact: boolean;
  centre: [number, number];
  axes: [[number, number], [number, number]];
}
export const NO_OUTLINE: Outline = { label: "", exact: false, centre: [0.0, 0.0], axes: [[0.0, 0.0], [0.0, 0.0]] };

export interface PlaneWord {
  word: string;
  x: number;
  y: number;
  polarity: number | null;
  difference: number | null;
}
export const NO_PLANE_WORD: PlaneWord = { word: "", x: 0.0, y: 0.0, polarity: null, difference: null };

export interface Plane {
  axes: "pca" | "difference";
  axis_labels: [string, string];
  shares: [number, number];
  extent: [number, number, number, number];
  outlines: Outline[];
  words: PlaneWord[];
  warning: string;
}
export const NO_PLANE: Plane = { axes: "difference", axis_labels: ["", ""], shares: [0.0, 0.0], extent: [-1.0, 1.0, -1.0, 1.0], outlines: [], words: [], warning: "" };

export interface WordRow {
  word: string;
  distance: number;
  low: number;
  high: number;
  rank: number;
  polarity: number | null;
  difference: number | null;
}
export const NO_WORD_ROW: WordRow = { word: "", distance: 0.0, low: 0.0, high: 0.0, rank: 0, polarity: null, difference: null };

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
export const NO_WORDS: Words = { lexicon: "", total: 0, unknown: 0, closest: [], farthest: [], picked: null, neutral: null, distance_label: "", interval_label: "" };

export interface Member {
  word: string;
  distance: number;
}
export const NO_MEMBER: Member = { word: "", distance: 0.0 };

export interface GroupRow {
  name: string;
  mean: number;
  low: number;
  high: number;
  members: Member[];
}
export const NO_GROUP_ROW: GroupRow = { name: "", mean: 0.0, low: 0.0, high: 0.0, members: [] };

export interface Groups {
  rows: GroupRow[];
  difference: number;
  low: number;
  high: number;
  d: number | null;
  p: number;
  text: string;
}
export const NO_GROUPS: Groups = { rows: [], difference: 0.0, low: 0.0, high: 0.0, d: null, p: 0.0, text: "" };

export interface Correlation {
  label: string;
  pearson: number;
  low: number;
  high: number;
  n: number;
}
export const NO_CORRELATION: Correlation = { label: "", pearson: 0.0, low: 0.0, high: 0.0, n: 0 };

export interface Review {
  text: string;
  label: string;
  distance: number;
}
export const NO_REVIEW: Review = { text: "", label: "", distance: 0.0 };

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
export const NO_PICTURE: Picture = { run: NO_RUN_STATE, label: "", labels: [], other: "", engine: "", prior: NO_PRIOR_OPTION, width: 1.0, trust: NO_TRUST, verdict: [], facts: [], quantities: [], worst_dimension: 0, dimensions: 0, oracle: "", plane: null, words: null, groups: null, groups_reason: "", correlations: [], reviews: [], reviews_reason: "", caveat: "", footer: [] };

export interface Answer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  picture: Picture | null;
}
export const NO_ANSWER: Answer = { generation: 0, state: "empty", message: null, unknown: null, dropped: [], picture: null };

export interface Packed {
  shape: number[];
  low: number;
  high: number;
  data: string;
}
export const NO_PACKED: Packed = { shape: [0, 0], low: 0.0, high: 1.0, data: "" };

export interface Trace {
  name: string;
  label: string;
  warmup: number;
  lines: Packed;
  strips: Packed;
  low: number;
  high: number;
}
export const NO_TRACE: Trace = { name: "", label: "", warmup: 0, lines: NO_PACKED, strips: NO_PACKED, low: 0.0, high: 1.0 };

export interface Traces {
  run: number;
  version: number;
  label: string;
  quantities: Trace[];
}
export const NO_TRACES: Traces = { run: 0, version: 0, label: "", quantities: [] };

export interface Cloud {
  label: string;
  points: Packed;
}
export const NO_CLOUD: Cloud = { label: "", points: NO_PACKED };

export interface Clouds {
  run: number;
  version: number;
  axes: "pca" | "difference";
  clouds: Cloud[];
}
export const NO_CLOUDS: Clouds = { run: 0, version: 0, axes: "difference", clouds: [] };

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
  line: NO_LINE,
  marks: [],
  labels: [],
  priors: [],
  traces: NO_TRACES,
  clouds: NO_CLOUDS,
} satisfies Partial<PosteriorBenchState>;

export const LIMITS = {
  prior_width: {"min": 0.1, "max": 10, "step": 0.1, "above": false, "integer": false},
  chains: {"min": 2, "max": 1024, "step": 1, "above": false, "integer": true},
  draws: {"min": 50, "max": 20000, "step": 50, "above": false, "integer": true},
  seed: {"min": 0, "max": 9007199254740991, "step": 1, "above": false, "integer": true},
  rows: {"min": 1, "max": 200, "step": 1, "above": false, "integer": true},
  shown_dimensions: {"min": 0, "max": 65535, "step": 1, "above": false, "integer": true},
};

export const VIEW_FIELDS = [] as const;

export const FIELDS = { defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS };

export type Inputs = Pick<PosteriorBenchState, keyof typeof DEFAULTS>;

export type Outputs = Pick<PosteriorBenchState, keyof typeof OUTPUTS>;
