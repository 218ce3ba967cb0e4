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

export interface Typical {
  word: string;
  name: string;
  share: number;
  low: number | null;
  high: number | null;
  place: number;
  average: number;
  text: string;
  note: string;
}
export const NO_TYPICAL: Typical = { word: "", name: "", share: 0.0, low: null, high: null, place: 0, average: 0, text: "", note: "" };

export interface Face {
  place: number;
  title: string;
  text: string;
  woman: boolean;
  p: number | null;
}
export const NO_FACE: Face = { place: 0, title: "", text: "", woman: false, p: null };

export interface Gallery {
  word: string;
  title: string;
  note: string;
  faces: Face[];
}
export const NO_GALLERY: Gallery = { word: "", title: "", note: "", faces: [] };

export interface ShareLine {
  word: string;
  shares: number[];
}
export const NO_SHARE_LINE: ShareLine = { word: "", shares: [] };

export interface FilmStrip {
  warmup: Face[];
  kept: Face[];
}
export const NO_FILM_STRIP: FilmStrip = { warmup: [], kept: [] };

export interface ShiftMark {
  value: number;
  low: number;
  high: number;
}
export const NO_SHIFT_MARK: ShiftMark = { value: 0.0, low: 0.0, high: 0.0 };

export interface ShiftRow {
  name: string;
  marks: ShiftMark[];
}
export const NO_SHIFT_ROW: ShiftRow = { name: "", marks: [] };

export interface ShiftGroup {
  title: string;
  note: string;
  rows: ShiftRow[];
}
export const NO_SHIFT_GROUP: ShiftGroup = { title: "", note: "", rows: [] };

export interface Portraits {
  words: string[];
  typical: Typical[];
  galleries: Gallery[];
  exponents: number[];
  exponent: number;
  lines: ShareLine[];
  neutral: number;
  chains: FilmStrip[];
  warmup: number;
  steps: number;
  running: number[][];
  running_steps: number[];
  chains_note: string;
  shifts: ShiftGroup[];
}
export const NO_PORTRAITS: Portraits = { words: [], typical: [], galleries: [], exponents: [], exponent: 0.0, lines: [], neutral: 0.5, chains: [], warmup: 0, steps: 0, running: [], running_steps: [], chains_note: "", shifts: [] };

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
  portraits: Portraits | null;
}
export const NO_PICTURE: Picture = { run: NO_RUN_STATE, label: "", labels: [], other: "", engine: "", prior: NO_PRIOR_OPTION, width: 1.0, trust: NO_TRUST, verdict: [], facts: [], quantities: [], worst_dimension: 0, dimensions: 0, oracle: "", plane: null, words: null, groups: null, groups_reason: "", correlations: [], reviews: [], reviews_reason: "", caveat: "", footer: [], portraits: null };

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

export interface Sheets {
  run: number;
  version: number;
  columns: number;
  rows: number;
  small: string;
  large: string;
  large_columns: number;
}
export const NO_SHEETS: Sheets = { run: 0, version: 0, columns: 1, rows: 1, small: "", large: "", large_columns: 1 };

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
  space: "vectors" | "portraits";
  label: string;
  prior: string;
  prior_width: number;
  engine: "vectorised" | "nuts" | "exact" | "choices";
  chains: number;
  draws: number;
  portrait_chains: number;
  portrait_draws: number;
  seed: number;
  axes: "pca" | "difference";
  distance: "angular" | "half-cosine" | "cosine" | "euclidean";
  centre: "prior" | "origin";
  word: string;
  other: string;
  show: "one" | "both";
  clothes: string;
  rows: number;
  shown_dimensions: number[];
  lists: WordList[];
  readonly answer: Answer;
  readonly labels: string[];
  readonly priors: PriorOption[];
  readonly traces: Traces;
  readonly clouds: Clouds;
  readonly sheets: Sheets;
  readonly wardrobe: string[];
}

export const DEFAULTS = {
  subject: "",
  space: "vectors",
  label: "positive",
  prior: "stimuli",
  prior_width: 1.0,
  engine: "vectorised",
  chains: 64,
  draws: 1000,
  portrait_chains: 8,
  portrait_draws: 1800,
  seed: 0,
  axes: "difference",
  distance: "angular",
  centre: "prior",
  word: "",
  other: "executive",
  show: "both",
  clothes: "pullover",
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
  sheets: NO_SHEETS,
  wardrobe: [],
} satisfies Partial<PosteriorBenchState>;

export const LIMITS = {
  prior_width: {"min": 0.1, "max": 10, "step": 0.1, "above": false, "integer": false},
  chains: {"min": 2, "max": 1024, "step": 1, "above": false, "integer": true},
  draws: {"min": 50, "max": 20000, "step": 50, "above": false, "integer": true},
  portrait_chains: {"min": 2, "max": 64, "step": 1, "above": false, "integer": true},
  portrait_draws: {"min": 50, "max": 20000, "step": 50, "above": false, "integer": true},
  seed: {"min": 0, "max": 9007199254740991, "step": 1, "above": false, "integer": true},
  rows: {"min": 1, "max": 200, "step": 1, "above": false, "integer": true},
  shown_dimensions: {"min": 0, "max": 65535, "step": 1, "above": false, "integer": true},
};

export const VIEW_FIELDS = [] as const;

export const FIELDS = { defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS };

export type Inputs = Pick<PosteriorBenchState, keyof typeof DEFAULTS>;

export type Outputs = Pick<PosteriorBenchState, keyof typeof OUTPUTS>;
