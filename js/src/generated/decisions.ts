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
  NO_LINE,
} from "./shared";

export interface CaseOption {
  name: string;
  title: string;
  problem: string;
  own: boolean;
}
export const NO_CASE_OPTION: CaseOption = { name: "", title: "", problem: "", own: false };

export interface CueChip {
  text: string;
  they: string;
  them: string;
  their: string;
}
export const NO_CUE_CHIP: CueChip = { text: "", they: "", them: "", their: "" };

export interface CueGroup {
  name: string;
  cues: CueChip[];
}
export const NO_CUE_GROUP: CueGroup = { name: "", cues: [] };

export interface Piece {
  kind: "text" | "cue" | "they" | "them" | "their" | "x";
  text: string;
  of: number;
}
export const NO_PIECE: Piece = { kind: "text", text: "", of: 0 };

export interface CaseCard {
  name: string;
  title: string;
  question: Span[];
  quality: string;
  unit: string;
  outcome: string;
  low: number;
  high: number;
  step: number;
  says: string[];
  lowest: number;
  middle: number;
  level_step: number;
  falls: boolean;
  groups: CueGroup[];
  group_names: string[];
  wordings: Piece[][];
  forms: string[];
  answers: string[];
  toml: string;
}
export const NO_CASE_CARD: CaseCard = { name: "", title: "", question: [], quality: "", unit: "", outcome: "", low: 0.0, high: 1.0, step: 0.5, says: [], lowest: 0.0, middle: 0.0, level_step: 0.5, falls: false, groups: [], group_names: [], wordings: [], forms: [], answers: [], toml: "" };

export interface Plan {
  questions: number;
  stored: number;
  tokens: number;
  cost: string;
  time: string;
  quick: number;
  quick_time: string;
  at_most: boolean;
}
export const NO_PLAN: Plan = { questions: 0, stored: 0, tokens: 0, cost: "", time: "", quick: 0, quick_time: "", at_most: true };

export interface Trials {
  number: number[];
  at: number[];
  group: number[];
  kind: number[];
  first: number[];
  cue: number[];
  other: number[];
  wording: number[];
}
export const NO_TRIALS: Trials = { number: [], at: [], group: [], kind: [], first: [], cue: [], other: [], wording: [] };

export interface TrialDetail {
  number: number;
  of: number;
  who: Span[];
  about: string;
  prompt: string;
  before: string[];
  settings: string;
  reply: string;
  reasoning: string;
  read_as: string;
  counts_as: string;
  cost: string;
  model: string;
}
export const NO_TRIAL_DETAIL: TrialDetail = { number: 0, of: 0, who: [], about: "", prompt: "", before: [], settings: "", reply: "", reasoning: "", read_as: "", counts_as: "", cost: "", model: "" };

export interface RunState {
  number: number;
  running: boolean;
  done: number;
  total: number;
  stored: number;
  tokens: number;
  cost: string;
  seconds_left: number | null;
  width: number | null;
  wanted: number | null;
  left: number | null;
  adaptive: boolean;
  stopped: boolean;
  no_gap: boolean;
  stale: boolean;
  problem: string;
  waits_for: string;
}
export const NO_RUN_STATE: RunState = { number: 0, running: false, done: 0, total: 0, stored: 0, tokens: 0, cost: "", seconds_left: null, width: null, wanted: null, left: null, adaptive: false, stopped: false, no_gap: false, stale: false, problem: "", waits_for: "" };

export interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
}
export const NO_ESTIMATE: Estimate = { value: null, low: null, high: null };

export interface Curve {
  share: number[];
  low: number[];
  high: number[];
  pse: Estimate;
  beyond: string;
}
export const NO_CURVE: Curve = { share: [], low: [], high: [], pse: NO_ESTIMATE, beyond: "" };

export interface Gap {
  value: number | null;
  low: number | null;
  high: number | null;
  these_low: number | null;
  these_high: number | null;
  margin: number;
}
export const NO_GAP: Gap = { value: null, low: null, high: null, these_low: null, these_high: null, margin: 0.0 };

export interface GaugeState {
  name: string;
  group: number;
  value: number;
  low: number;
  high: number;
}
export const NO_GAUGE_STATE: GaugeState = { name: "", group: 0, value: 0.0, low: 0.0, high: 0.0 };

export interface GroupPoint {
  name: string;
  pse: Estimate;
  gap: Estimate;
  neither: Estimate;
}
export const NO_GROUP_POINT: GroupPoint = { name: "", pse: NO_ESTIMATE, gap: NO_ESTIMATE, neither: NO_ESTIMATE };

export interface MainEffect {
  trait: string;
  one: string;
  two: string;
  effect: Estimate;
}
export const NO_MAIN_EFFECT: MainEffect = { trait: "", one: "", two: "", effect: NO_ESTIMATE };

export interface Counts {
  yes: number;
  no: number;
  cannot_say: number;
  refused: number;
  unreadable: number;
  other_language: number;
}
export const NO_COUNTS: Counts = { yes: 0, no: 0, cannot_say: 0, refused: 0, unreadable: 0, other_language: 0 };

export interface CueRates {
  name: string;
  hits: number;
  false_alarms: number;
}
export const NO_CUE_RATES: CueRates = { name: "", hits: 0.0, false_alarms: 0.0 };

export interface GroupSensitivity {
  hits: Estimate;
  false_alarms: Estimate;
  d: Estimate;
  c: Estimate;
  cues: CueRates[];
}
export const NO_GROUP_SENSITIVITY: GroupSensitivity = { hits: NO_ESTIMATE, false_alarms: NO_ESTIMATE, d: NO_ESTIMATE, c: NO_ESTIMATE, cues: [] };

export interface Sensitivity {
  verdict: Span[];
  caveat: string;
  groups: GroupSensitivity[];
  d: Gap;
  c: Gap;
  hits: Estimate;
  false_alarms: Estimate;
}
export const NO_SENSITIVITY: Sensitivity = { verdict: [], caveat: "", groups: [], d: NO_GAP, c: NO_GAP, hits: NO_ESTIMATE, false_alarms: NO_ESTIMATE };

export interface Picture {
  run: RunState;
  form: "yes or no" | "which of two";
  verdict: Span[];
  caveat: string;
  footer: string[];
  levels: number[];
  curves: Curve[];
  ratio_levels: number[];
  ratio: Estimate[];
  ridge: number[][];
  gap: Gap | null;
  jnd: Estimate;
  indecision: Estimate;
  gauges: GaugeState[];
  points: GroupPoint[];
  effects: MainEffect[];
  counts: Counts;
  names: string[];
  decision: string;
  reason: string;
  level: number;
  settled: boolean;
  sensitivity: Sensitivity;
}
export const NO_PICTURE: Picture = { run: NO_RUN_STATE, form: "yes or no", verdict: [], caveat: "", footer: [], levels: [], curves: [], ratio_levels: [], ratio: [], ridge: [], gap: null, jnd: NO_ESTIMATE, indecision: NO_ESTIMATE, gauges: [], points: [], effects: [], counts: NO_COUNTS, names: [], decision: "none", reason: "", level: 0.95, settled: true, sensitivity: NO_SENSITIVITY };

export interface Answer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  picture: Picture | null;
}
export const NO_ANSWER: Answer = { generation: 0, state: "empty", message: null, unknown: null, dropped: [], picture: null };

export interface DecisionBenchState {
  generation: number;
  command: Command;
  readonly subjects: SubjectOption[];
  readonly misfits: Misfit[];
  readonly progress: Progress;
  readonly line: Line;
  readonly reply: Reply;
  subject: string;
  case: string;
  case_text: string;
  groups: string[];
  all_groups: boolean;
  form: "yes or no" | "which of two";
  alike: number;
  reading: "gap" | "sensitivity";
  qualified: number;
  alike_d: number;
  alike_c: number;
  cut: number;
  roc: "ROC" | "zROC";
  cannot_say: boolean;
  method: "automatic" | "adaptive" | "fixed";
  trials: number;
  stop_width: number;
  lapses: "free" | "shared" | "equal" | "none";
  slopes: "free" | "shared";
  level: number;
  seed: number;
  without_cues: string[];
  without_wordings: number[];
  trial: number;
  x: number;
  cue_1: string;
  cue_2: string;
  person: number;
  wording: number;
  readonly cases: CaseOption[];
  readonly card: CaseCard;
  readonly case_problem: string;
  readonly plan: Plan;
  readonly marks: Trials;
  readonly detail: TrialDetail;
  readonly answer: Answer;
}

export const DEFAULTS = {
  subject: "",
  case: "hire-by-name",
  case_text: "",
  groups: [],
  all_groups: true,
  form: "yes or no",
  alike: 0.0,
  reading: "gap",
  qualified: 0.0,
  alike_d: 0.5,
  alike_c: 0.25,
  cut: 0.0,
  roc: "ROC",
  cannot_say: false,
  method: "automatic",
  trials: 0,
  stop_width: 0.0,
  lapses: "free",
  slopes: "free",
  level: 0.95,
  seed: 0,
  without_cues: [],
  without_wordings: [],
  trial: 0,
  x: 0.0,
  cue_1: "",
  cue_2: "",
  person: 2,
  wording: 1,
} satisfies Partial<DecisionBenchState>;

export const OUTPUTS = {
  misfits: [],
  line: NO_LINE,
  cases: [],
  card: NO_CASE_CARD,
  case_problem: "",
  plan: NO_PLAN,
  marks: NO_TRIALS,
  detail: NO_TRIAL_DETAIL,
} satisfies Partial<DecisionBenchState>;

export const LIMITS = {
  alike: {"min": 0, "max": 1000000000.0, "step": 1, "above": false, "integer": false},
  qualified: {"min": -1000000000.0, "max": 1000000000.0, "step": 1, "above": false, "integer": false},
  alike_d: {"min": 0.01, "max": 10, "step": 0.1, "above": false, "integer": false},
  alike_c: {"min": 0.01, "max": 10, "step": 0.05, "above": false, "integer": false},
  cut: {"min": -4, "max": 4, "step": 0.05, "above": false, "integer": false},
  trials: {"min": 0, "max": 20000, "step": 1, "above": false, "integer": true},
  stop_width: {"min": 0, "max": 1000000000.0, "step": 0.1, "above": false, "integer": false},
  level: {"min": 0.5, "max": 0.999, "step": 0.01, "above": false, "integer": false},
  seed: {"min": 0, "max": 9007199254740991, "step": 1, "above": false, "integer": true},
  without_wordings: {"min": 1, "max": 10000, "step": 1, "above": false, "integer": true},
  trial: {"min": 0, "max": 10000000, "step": 1, "above": false, "integer": true},
  x: {"min": -1000000000.0, "max": 1000000000.0, "step": 1, "above": false, "integer": false},
  person: {"min": 1, "max": 2, "step": 1, "above": false, "integer": true},
  wording: {"min": 1, "max": 10000, "step": 1, "above": false, "integer": true},
};

export const VIEW_FIELDS = ["cut", "roc", "x", "cue_1", "cue_2", "person", "wording"] as const;

export const FIELDS = { defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS };

export type Inputs = Pick<DecisionBenchState, keyof typeof DEFAULTS>;

export type Outputs = Pick<DecisionBenchState, keyof typeof OUTPUTS>;
