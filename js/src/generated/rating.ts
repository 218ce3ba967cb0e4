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

export interface DistributionState {
  name: string;
  kind: "unbiased" | "biased";
  shares: number[];
}
export const NO_DISTRIBUTION_STATE: DistributionState = { name: "", kind: "unbiased", shares: [] };

export interface Cell {
  counts: number[];
  mentions: number;
  unresolved: number;
  done: number;
  total: number;
  predicted: boolean;
}
export const NO_CELL: Cell = { counts: [], mentions: 0, unresolved: 0, done: 0, total: 0, predicted: false };

export interface MatrixRow {
  language: string;
  title: string;
  state: "queued" | "running" | "done" | "stopped" | "failed";
  message: string;
  cells: Cell[];
  points: (number[] | null)[];
  paper: "UCS" | "DSBS" | "BS" | "not rateable" | "open" | null;
  corrected: "UCS" | "DSBS" | "BS" | "not rateable" | "open" | null;
  shown: boolean;
  probabilities: number[];
  unresolved: number;
}
export const NO_MATRIX_ROW: MatrixRow = { language: "", title: "", state: "queued", message: "", cells: [], points: [], paper: null, corrected: null, shown: false, probabilities: [], unresolved: 0 };

export interface TreeNode {
  key: string;
  title: string;
  question: string;
  note: string;
  on_path: boolean;
  is_rating: boolean;
}
export const NO_TREE_NODE: TreeNode = { key: "", title: "", question: "", note: "", on_path: false, is_rating: false };

export interface TreeEdge {
  source: string;
  target: string;
  answer: string;
  on_path: boolean;
}
export const NO_TREE_EDGE: TreeEdge = { source: "", target: "", answer: "", on_path: false };

export interface Tree {
  rule: "paper" | "corrected";
  rating: "UCS" | "DSBS" | "BS" | "not rateable" | "open";
  nodes: TreeNode[];
  edges: TreeEdge[];
}
export const NO_TREE: Tree = { rule: "paper", rating: "UCS", nodes: [], edges: [] };

export interface LanguageFinding {
  trees: Tree[];
  explanation: Span[];
}
export const NO_LANGUAGE_FINDING: LanguageFinding = { trees: [], explanation: [] };

export interface RatingRun {
  number: number;
  running: boolean;
  done: number;
  total: number;
  calls: number;
  from_store: number;
  seconds: number;
  seconds_left: number | null;
  stale: boolean;
  failed: number;
}
export const NO_RATING_RUN: RatingRun = { number: 0, running: false, done: 0, total: 0, calls: 0, from_store: 0, seconds: 0.0, seconds_left: null, stale: false, failed: 0 };

export interface RatingPicture {
  service: string;
  attribute: string;
  values: string[];
  blocks: DistributionState[];
  rows: MatrixRow[];
  overall: ("UCS" | "DSBS" | "BS" | "not rateable" | "open" | null)[];
  overall_without: ("UCS" | "DSBS" | "BS" | "not rateable" | "open" | null)[];
  finding: LanguageFinding;
  run: RatingRun;
  per: string;
  verdict: Span[];
  caveat: string;
  notes: string[];
  footer: string[];
}
export const NO_RATING_PICTURE: RatingPicture = { service: "", attribute: "", values: [], blocks: [], rows: [], overall: [], overall_without: [], finding: NO_LANGUAGE_FINDING, run: NO_RATING_RUN, per: "mention", verdict: [], caveat: "", notes: [], footer: [] };

export interface RatingAnswer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  picture: RatingPicture | null;
}
export const NO_RATING_ANSWER: RatingAnswer = { generation: 0, state: "empty", message: null, unknown: null, dropped: [], picture: null };

export interface LanguageOption {
  code: string;
  title: string;
}
export const NO_LANGUAGE_OPTION: LanguageOption = { code: "", title: "" };

export interface ServiceOption {
  name: string;
  about: string;
  kind: string;
  languages: LanguageOption[];
  truth: string;
  composite: string[];
  own: boolean;
  problem: string;
}
export const NO_SERVICE_OPTION: ServiceOption = { name: "", about: "", kind: "", languages: [], truth: "", composite: [], own: false, problem: "" };

export interface TemplateOption {
  name: string;
  example: string;
}
export const NO_TEMPLATE_OPTION: TemplateOption = { name: "", example: "" };

export interface AttributeOption {
  name: string;
  values: string[];
  templates: TemplateOption[];
}
export const NO_ATTRIBUTE_OPTION: AttributeOption = { name: "", values: [], templates: [] };

export interface Plan {
  languages: number;
  blocks: number;
  texts: number;
  calls: number;
  known: number;
  cost: string;
  seconds: number | null;
  problem: string;
  example: string[];
  recommended: number;
}
export const NO_PLAN: Plan = { languages: 0, blocks: 0, texts: 0, calls: 0, known: 0, cost: "", seconds: null, problem: "", example: [], recommended: 0 };

export interface MarkedMention {
  value: number;
  spans: [number, number][];
  reason: string;
}
export const NO_MARKED_MENTION: MarkedMention = { value: 0, spans: [], reason: "" };

export interface TextRow {
  source: string;
  middle: string;
  back: string;
  source_marks: MarkedMention[];
  middle_marks: MarkedMention[];
  back_marks: MarkedMention[];
  changed: boolean[];
  moved: boolean[];
  failure: string;
}
export const NO_TEXT_ROW: TextRow = { source: "", middle: "", back: "", source_marks: [], middle_marks: [], back_marks: [], changed: [], moved: [], failure: "" };

export interface MiddleFinding {
  term: string;
  given: string;
  counts: number[];
  example: string;
}
export const NO_MIDDLE_FINDING: MiddleFinding = { term: "", given: "", counts: [], example: "" };

export interface Balance {
  values: [string, string];
  alphas: number[];
  curve: number[];
  points: [number, number, number][];
  pse: number | null;
  interval: [number, number] | null;
  jnd: number | null;
  verdict: Span[];
}
export const NO_BALANCE: Balance = { values: ["", ""], alphas: [], curve: [], points: [], pse: null, interval: null, jnd: null, verdict: [] };

export interface LanguageDetail {
  language: string | null;
  title: string;
  block: number;
  texts: TextRow[];
  middle: MiddleFinding[];
  middle_note: string;
  balance: Balance | null;
  reasons: [string, number][];
}
export const NO_LANGUAGE_DETAIL: LanguageDetail = { language: null, title: "", block: 0, texts: [], middle: [], middle_note: "", balance: null, reasons: [] };

export interface PowerPoint {
  texts: number;
  calls: number;
  shares: [number, number, number][];
}
export const NO_POWER_POINT: PowerPoint = { texts: 0, calls: 0, shares: [] };

export interface Power {
  state: "none" | "running" | "ready" | "error";
  message: string;
  services: string[];
  points: PowerPoint[];
  recommended: number;
}
export const NO_POWER: Power = { state: "none", message: "", services: [], points: [], recommended: 0 };

export interface CompositionCell {
  first: "UCS" | "DSBS" | "BS" | "not rateable" | "open";
  second: "UCS" | "DSBS" | "BS" | "not rateable" | "open";
  paper: "UCS" | "DSBS" | "BS" | "not rateable" | "open" | null;
  definition: "UCS" | "DSBS" | "BS" | "not rateable" | "open" | null;
  differs: boolean;
  reason: string;
}
export const NO_COMPOSITION_CELL: CompositionCell = { first: "UCS", second: "UCS", paper: null, definition: null, differs: false, reason: "" };

export interface Composed {
  first: string;
  second: string;
  language: string;
  predicted: "UCS" | "DSBS" | "BS" | "not rateable" | "open" | null;
  measured: "UCS" | "DSBS" | "BS" | "not rateable" | "open";
  agrees: boolean | null;
}
export const NO_COMPOSED: Composed = { first: "", second: "", language: "", predicted: null, measured: "UCS", agrees: null };

export interface RatingBenchState {
  generation: number;
  command: Command;
  readonly subjects: SubjectOption[];
  readonly misfits: Misfit[];
  readonly progress: Progress;
  readonly line: Line;
  readonly reply: Reply;
  service: string;
  attribute: string;
  template: string;
  distributions: DistributionState[];
  texts: number;
  repetitions: number;
  middles: string[];
  seed: number;
  equivalence_margin: number;
  level: number;
  minimum: number;
  test: string;
  unit: "mention" | "text";
  similar_to: "any" | "all" | "vote";
  overall: "worst" | "vote";
  without: string[];
  language: string;
  block: number;
  composition: "paper" | "definition";
  readonly answer: RatingAnswer;
  readonly services: ServiceOption[];
  readonly attribute_options: AttributeOption[];
  readonly tests: string[];
  readonly plan: Plan;
  readonly detail: LanguageDetail;
  readonly power: Power;
  readonly table: CompositionCell[];
  readonly composed: Composed[];
}

export const DEFAULTS = {
  service: "",
  attribute: "gender",
  template: "",
  distributions: [],
  texts: 20,
  repetitions: 1,
  middles: [],
  seed: 0,
  equivalence_margin: 0.1,
  level: 0.95,
  minimum: 20,
  test: "chi-squared",
  unit: "mention",
  similar_to: "any",
  overall: "worst",
  without: [],
  language: "",
  block: 0,
  composition: "definition",
} satisfies Partial<RatingBenchState>;

export const OUTPUTS = {
  misfits: [],
  line: NO_LINE,
  services: [],
  attribute_options: [],
  tests: [],
  plan: NO_PLAN,
  detail: NO_LANGUAGE_DETAIL,
  power: NO_POWER,
  table: [],
  composed: [],
} satisfies Partial<RatingBenchState>;

export const LIMITS = {
  distributions: {"shares": {"min": 0, "max": 1, "step": 0.01, "above": false, "integer": false}},
  texts: {"min": 1, "max": 1000, "step": 1, "above": false, "integer": true},
  repetitions: {"min": 1, "max": 20, "step": 1, "above": false, "integer": true},
  seed: {"min": 0, "max": 9007199254740991, "step": 1, "above": false, "integer": true},
  equivalence_margin: {"min": 0.005, "max": 0.5, "step": 0.01, "above": false, "integer": false},
  level: {"min": 0.51, "max": 0.999, "step": 0.01, "above": false, "integer": false},
  minimum: {"min": 1, "max": 10000, "step": 1, "above": false, "integer": true},
  block: {"min": 0, "max": 10000, "step": 1, "above": false, "integer": true},
};

export const VIEW_FIELDS = [] as const;

export const FIELDS = { defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS };

export type Inputs = Pick<RatingBenchState, keyof typeof DEFAULTS>;

export type Outputs = Pick<RatingBenchState, keyof typeof OUTPUTS>;
