// Written by `make contract` from the Python state record. Do not edit.

import type {
  Command,
  DroppedTerm,
  Fit,
  Line,
  Making,
  Message,
  Misfit,
  Progress,
  Reply,
  Span,
  StepState,
  SubjectOption,
  TermMark,
  WordList,
} from "./shared";

export interface ImageRun {
  number: number;
  running: boolean;
  done: number;
  total: number;
  seconds: number;
  seconds_left: number | null;
  stale: boolean;
  untested: number;
}

export interface Score {
  score: number | null;
  low: number | null;
  high: number | null;
  lean: -1 | 0 | 1;
  images: number;
  stereotyped: number;
}

export interface ImageModelRow {
  name: string;
  about: string;
  kind: string;
  state: "waiting" | "testing" | "done" | "stopped" | "failed";
  message: string;
  tested: number;
  seconds: number;
  overall: Score;
  templates: [string, Score][];
  unasked: [string, string][];
  details: string[];
}

export interface TermRow {
  name: string;
  group: number;
  scores: Score[];
  images: number[];
}

export interface ImagePicture {
  groups: [string, string];
  concepts: [string, string];
  run: ImageRun;
  models: ImageModelRow[];
  terms: TermRow[];
  edges: number[];
  comparisons: string[];
  verdict: Span[];
  caveat: string;
  footer: string[];
}

export interface ImageAnswer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  steps: StepState[];
  picture: ImagePicture | null;
}

export interface TermImages {
  name: string;
  group: number;
  count: number;
  drawable: boolean;
  saved: number;
  remark: string;
}

export interface ImageRow {
  id: string;
  term: number;
  source: number;
  alt: string;
  remark: string;
}

export interface RejectedImageRow {
  id: string;
  name: string;
  term: string;
  reason: string;
}

export interface Images {
  version: number;
  terms: TermImages[];
  sources: string[];
  images: ImageRow[];
  rejected: RejectedImageRow[];
  notes: string[];
  problems: string[];
}

export interface Thumbnails {
  number: number;
  pictures: Record<string, unknown>;
  missing: Record<string, unknown>;
}

export interface ImageScoresOf {
  model: string;
  scores: (number | null)[];
  tones: string;
}

export interface ImageScores {
  version: number;
  images: number;
  models: ImageScoresOf[];
}

export interface ModelAnswer {
  name: string;
  both: [number, number] | null;
  by_template: [string, number, number][];
  by_concept: [string, number, number][];
  failure: string;
}

export interface ImageDetail {
  id: string;
  place: string;
  term: string;
  alt: string;
  picture: string;
  about: string[];
  models: ModelAnswer[];
}

export interface MorphSource {
  key: string;
  label: string;
  about: string;
}

export interface MorphCurve {
  alphas: number[];
  mean: number[];
  band: [number, number][];
  stimuli: number[];
  observers: number[][];
}

export interface MorphPicture {
  item: string;
  model: string;
  observer: number;
  curve: MorphCurve;
  fit: Fit | null;
  pse: number;
  pse_at: "at" | "beyond" | "none";
  interval: [number | null, number | null] | null;
  interval_over: string;
  level: number;
  jnd: number | null;
  jnd_label: string;
  lean: "cue_1" | "cue_2" | "none" | "unknown";
  verdict: Span[];
  caveat: string;
  strip_at: number[];
  strip: string[];
}

export interface Morph {
  state: "closed" | "asking" | "ready" | "error";
  message: string;
  done: number;
  total: number;
  items: string[];
  observers: string[];
  cues: [string, string];
  sources: MorphSource[];
  steps: number[];
  about: string;
  picture: MorphPicture | null;
}

export interface MorphAt {
  item: string;
  model: string;
  observer: number;
  alpha: number;
  picture: string;
  alt: string;
  answer: number | null;
}

export interface TemplateOption {
  text: string;
  kind: "caption" | "question";
}

export interface PainterOption {
  key: string;
  name: string;
  about: string;
  endpoint: boolean;
}

export interface ImagePrompt {
  key: string;
  label: string;
  text: string;
}

export interface ImageBenchState {
  generation: number;
  command: Command;
  readonly subjects: SubjectOption[];
  readonly misfits: Misfit[];
  readonly progress: Progress;
  readonly line: Line;
  readonly reply: Reply;
  step: number;
  lists: WordList[];
  spec: string;
  models: string[];
  level: number;
  seed: number;
  readonly answer: ImageAnswer;
  readonly marks: TermMark[];
  captions: string[];
  questions: string[];
  aggregate: "sum" | "mean" | "any";
  per_term: number;
  image: string;
  wanted: string[];
  morph_item: string;
  morph_model: string;
  morph_observer: number;
  morph_source: string;
  alpha: number;
  readonly images: Images;
  readonly thumbnails: Thumbnails;
  readonly scores: ImageScores;
  readonly detail: ImageDetail;
  readonly morph: Morph;
  readonly morph_at: MorphAt;
  readonly templates: TemplateOption[];
  readonly painters: PainterOption[];
  readonly prompts: ImagePrompt[];
  readonly folders: boolean;
  readonly making: Making;
}

export const DEFAULTS = {
  step: 1,
  lists: [],
  spec: "",
  models: [],
  level: 0.95,
  seed: 0,
  captions: [],
  questions: [],
  aggregate: "sum",
  per_term: 30,
  image: "",
  wanted: [],
  morph_item: "",
  morph_model: "",
  morph_observer: 0,
  morph_source: "drawn",
  alpha: 0.5,
} satisfies Partial<ImageBenchState>;

export const OUTPUTS = {
  misfits: [],
  line: {"jobs": [], "smaller": false, "note": ""},
  marks: [],
  images: {"version": 0, "terms": [], "sources": [], "images": [], "rejected": [], "notes": [], "problems": []},
  thumbnails: {"number": 0, "pictures": {}, "missing": {}},
  scores: {"version": 0, "images": 0, "models": []},
  detail: {"id": "", "place": "", "term": "", "alt": "", "picture": "", "about": [], "models": []},
  morph: {"state": "closed", "message": "", "done": 0, "total": 0, "items": [], "observers": [], "cues": ["woman", "man"], "sources": [], "steps": [], "about": "", "picture": null},
  morph_at: {"item": "", "model": "", "observer": 0, "alpha": 0.5, "picture": "", "alt": "", "answer": null},
  templates: [],
  painters: [],
  prompts: [],
  folders: false,
  making: {"done": 0, "total": 0, "message": "", "seconds_left": null},
} satisfies Partial<ImageBenchState>;

export const VIEW_FIELDS = [] as const;
