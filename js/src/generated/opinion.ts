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

export interface ColumnRole {
  column: string;
  role: "" | "group" | "answer" | "item" | "level" | "order" | "cluster" | "score" | "model" | "case";
}
export const NO_COLUMN_ROLE: ColumnRole = { column: "", role: "" };

export interface GroupName {
  group: string;
  name: string;
}
export const NO_GROUP_NAME: GroupName = { group: "", name: "" };

export interface ColumnCard {
  column: string;
  role: "" | "group" | "answer" | "item" | "level" | "order" | "cluster" | "score" | "model" | "case";
  values: number;
  about: string;
}
export const NO_COLUMN_CARD: ColumnCard = { column: "", role: "", values: 0, about: "" };

export interface ForestRow {
  label: string;
  value: number | null;
  low: number | null;
  high: number | null;
  beside: number | null;
  text: string;
  tone: "" | "clear" | "first" | "second";
  line: string;
}
export const NO_FOREST_ROW: ForestRow = { label: "", value: null, low: null, high: null, beside: null, text: "", tone: "", line: "" };

export interface Ratio {
  value: number;
  fair: number[];
  edges: number[];
  heights: number[];
}
export const NO_RATIO: Ratio = { value: 0.0, fair: [], edges: [], heights: [] };

export interface Panel {
  model: string;
  title: string;
  status: string;
  note: string;
  clear: boolean;
  axis: [number, number];
  neutral: number | null;
  neutral_label: string;
  margin: number;
  rows: ForestRow[];
  ratio: Ratio | null;
  places: number[];
}
export const NO_PANEL: Panel = { model: "", title: "", status: "", note: "", clear: false, axis: [0.0, 1.0], neutral: null, neutral_label: "", margin: 0.0, rows: [], ratio: null, places: [] };

export interface Tab {
  name: string;
  unit: string;
  panels: Panel[];
}
export const NO_TAB: Tab = { name: "", unit: "", panels: [] };

export interface SetAside {
  reason: string;
  count: number;
  examples: string[][];
}
export const NO_SET_ASIDE: SetAside = { reason: "", count: 0, examples: [] };

export interface Printed {
  text: string;
  why: string;
}
export const NO_PRINTED: Printed = { text: "", why: "" };

export interface Picture {
  verdict: Span[];
  caveat: string;
  footer: string[];
  source: string;
  title: string;
  tabs: Tab[];
  used: number;
  set_aside: SetAside[];
  notes: string[];
  may: Printed[];
  may_not: Printed[];
  never: Printed[];
  groups: GroupName[];
  options: string[];
  margin: number;
  reference: string;
  ranked: boolean;
}
export const NO_PICTURE: Picture = { verdict: [], caveat: "", footer: [], source: "", title: "", tabs: [], used: 0, set_aside: [], notes: [], may: [], may_not: [], never: [], groups: [], options: [], margin: 0.0, reference: "", ranked: false };

export interface Answer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  columns: ColumnCard[];
  about: string;
  wants_words: boolean;
  picture: Picture | null;
}
export const NO_ANSWER: Answer = { generation: 0, state: "empty", message: null, unknown: null, dropped: [], columns: [], about: "", wants_words: false, picture: null };

export interface OpinionBenchState {
  generation: number;
  command: Command;
  readonly subjects: SubjectOption[];
  readonly misfits: Misfit[];
  readonly progress: Progress;
  readonly line: Line;
  readonly reply: Reply;
  subject: string;
  roles: ColumnRole[];
  reading: "first place" | "first name";
  yes: string;
  reference: string;
  labels: GroupName[];
  alike: number;
  level: number;
  tab: string;
  readonly answer: Answer;
}

export const DEFAULTS = {
  subject: "",
  roles: [],
  reading: "first place",
  yes: "",
  reference: "",
  labels: [],
  alike: 0.0,
  level: 0.95,
  tab: "",
} satisfies Partial<OpinionBenchState>;

export const OUTPUTS = {
  misfits: [],
  line: NO_LINE,
} satisfies Partial<OpinionBenchState>;

export const LIMITS = {
  alike: {"min": 0, "max": 1000000.0, "step": 1, "above": false, "integer": false},
  level: {"min": 0.5, "max": 0.999, "step": 0.01, "above": false, "integer": false},
};

export const VIEW_FIELDS = ["tab"] as const;

export const FIELDS = { defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS };

export type Inputs = Pick<OpinionBenchState, keyof typeof DEFAULTS>;

export type Outputs = Pick<OpinionBenchState, keyof typeof OUTPUTS>;
