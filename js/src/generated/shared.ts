// Written by `make contract` from the Python state record. Do not edit.

export interface Command {
  id: number;
  name: string;
  args: Record<string, unknown>;
}

export interface SubjectOption {
  name: string;
  about: string;
  kind: string;
  replicates: number;
  group: string;
  what: string;
}

export interface Misfit {
  name: string;
  group: string;
  what: string;
  reason: string;
  bench: string;
  page: string;
}

export interface Progress {
  done: number;
  total: number;
  message: string;
  seconds_left: number | null;
}

export interface JobInLine {
  title: string;
  own: boolean;
  place: number;
  done: number;
  total: number;
  seconds_left: number | null;
}

export interface Line {
  jobs: JobInLine[];
  smaller: boolean;
  note: string;
}

export interface Step {
  title: string;
  formula: string;
  numbers: string[];
  text: string;
}

export interface Citation {
  text: string;
  url: string;
}

export interface How {
  about: string;
  steps: Step[];
  references: Citation[];
  guide: string;
}

export interface Reply {
  id: number;
  ok: boolean;
  message: string;
  filename?: string;
  media_type?: string;
  content?: string;
  how?: How;
}

export interface TermMark {
  list: number;
  position: number;
  term: string;
  kind: "unknown" | "duplicate" | "overlap";
  reason: string;
  suggestions?: string[];
}

export interface Action {
  label: string;
  page?: string;
  set?: Record<string, unknown>;
  command?: string;
  args?: Record<string, unknown>;
}

export interface Message {
  title: string;
  text: string;
  actions: Action[];
}

export interface DroppedTerm {
  term: string;
  role: string;
  reason: string;
  suggestions: string[];
}

export interface Span {
  text: string;
  role: "plain" | "strong" | "group1" | "group2" | "quiet" | "with" | "against";
}

export interface Fit {
  residual: number[];
  expected: number[];
  predicted: number[];
  describes: boolean;
  verdict: string;
}

export interface WordList {
  name: string;
  terms: string[];
  kind?: "items" | "groups" | "attributes" | "controls" | "cue_1" | "cue_2";
  of?: string[];
}

export interface StepState {
  title: string;
  note: string;
  state: "closed" | "open" | "done";
  why: string;
}

export interface Making {
  done: number;
  total: number;
  message: string;
  seconds_left: number | null;
}
