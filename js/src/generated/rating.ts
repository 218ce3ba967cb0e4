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
} from "./shared";

export interface DistributionState {
  name: string;
  kind: "unbiased" | "biased";
  shares: number[];
}

export interface Cell {
  counts: number[];
  mentions: number;
  unresolved: number;
  done: number;
  total: number;
  predicted: boolean;
}

export interface MatrixRow {
  language: string;
  title: string;
  state: "queued" | "running" | "done" | "stopped" | "failed";
  message: string;
  cells: Cell[];
  points: (number[] | null)[];
  paper: "UCS" | "DSBS" | "BS" | "not rateable" | null;
  corrected: "UCS" | "DSBS" | "BS" | "not rateable" | null;
  shown: boolean;
  probabilities: number[];
  unresolved: number;
}

export interface TreeNode {
  key: string;
  title: string;
  question: string;
  note: string;
  on_path: boolean;
  is_rating: boolean;
}

export interface TreeEdge {
  source: string;
  target: string;
  answer: string;
  on_path: boolean;
}

export interface Tree {
  rule: "paper" | "corrected";
  rating: "UCS" | "DSBS" | "BS" | "not rateable";
  nodes: TreeNode[];
  edges: TreeEdge[];
}

export interface LanguageFinding {
  trees: Tree[];
  explanation: Span[];
}

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

export interface RatingPicture {
  service: string;
  attribute: string;
  values: string[];
  blocks: DistributionState[];
  rows: MatrixRow[];
  overall: ("UCS" | "DSBS" | "BS" | "not rateable" | null)[];
  overall_without: ("UCS" | "DSBS" | "BS" | "not rateable" | null)[];
  finding: LanguageFinding;
  run: RatingRun;
  per: string;
  verdict: Span[];
  caveat: string;
  notes: string[];
  footer: string[];
}

export interface RatingAnswer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  picture: RatingPicture | null;
}

export interface LanguageOption {
  code: string;
  title: string;
}

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

export interface TemplateOption {
  name: string;
  example: string;
}

export interface AttributeOption {
  name: string;
  values: string[];
  templates: TemplateOption[];
}

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

export interface MarkedMention {
  value: number;
  spans: [number, number][];
  reason: string;
}

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

export interface MiddleFinding {
  term: string;
  given: string;
  counts: number[];
  example: string;
}

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

export interface PowerPoint {
  texts: number;
  calls: number;
  shares: [number, number, number][];
}

export interface Power {
  state: "none" | "running" | "ready" | "error";
  message: string;
  services: string[];
  points: PowerPoint[];
  recommended: number;
}

export interface CompositionCell {
  first: "UCS" | "DSBS" | "BS" | "not rateable";
  second: "UCS" | "DSBS" | "BS" | "not rateable";
  paper: "UCS" | "DSBS" | "BS" | "not rateable" | null;
  definition: "UCS" | "DSBS" | "BS" | "not rateable" | null;
  differs: boolean;
  reason: string;
}

export interface Composed {
  first: string;
  second: string;
  language: string;
  predicted: "UCS" | "DSBS" | "BS" | "not rateable" | null;
  measured: "UCS" | "DSBS" | "BS" | "not rateable";
  agrees: boolean | null;
}

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
  line: {"jobs": [], "smaller": false, "note": ""},
  services: [],
  attribute_options: [],
  tests: [],
  plan: {"languages": 0, "blocks": 0, "texts": 0, "calls": 0, "known": 0, "cost": "", "seconds": null, "problem": "", "example": [], "recommended": 0},
  detail: {"language": null, "title": "", "block": 0, "texts": [], "middle": [], "middle_note": "", "balance": null, "reasons": []},
  power: {"state": "none", "message": "", "services": [], "points": [], "recommended": 0},
  table: [],
  composed: [],
} satisfies Partial<RatingBenchState>;

export const VIEW_FIELDS = [] as const;
