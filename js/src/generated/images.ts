// Written by `make contract` from the Python state record. Do not edit.

import {
  type Command,
  type DroppedTerm,
  type Fit,
  type Line,
  type MakerOption,
  type Making,
  type Message,
  type Misfit,
  type Progress,
  type PromptOption,
  type Reply,
  type Span,
  type StepState,
  type SubjectOption,
  type TermMark,
  type TestProgress,
  type WordList,
  NO_LINE,
  NO_MAKING,
  NO_TEST_PROGRESS,
} from "./shared";

export interface Score {
  score: number | null;
  low: number | null;
  high: number | null;
  lean: -1 | 0 | 1;
  images: number;
  stereotyped: number;
}
export const NO_SCORE: Score = { score: null, low: null, high: null, lean: 0, images: 0, stereotyped: 0 };

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
export const NO_IMAGE_MODEL_ROW: ImageModelRow = { name: "", about: "", kind: "", state: "waiting", message: "", tested: 0, seconds: 0.0, overall: NO_SCORE, templates: [], unasked: [], details: [] };

export interface TermRow {
  name: string;
  group: number;
  scores: Score[];
  images: number[];
}
export const NO_TERM_ROW: TermRow = { name: "", group: 0, scores: [], images: [] };

export interface ImagePicture {
  groups: [string, string];
  concepts: [string, string];
  run: TestProgress;
  models: ImageModelRow[];
  terms: TermRow[];
  edges: number[];
  comparisons: string[];
  verdict: Span[];
  caveat: string;
  footer: string[];
}
export const NO_IMAGE_PICTURE: ImagePicture = { groups: ["group 1", "group 2"], concepts: ["concepts 1", "concepts 2"], run: NO_TEST_PROGRESS, models: [], terms: [], edges: [], comparisons: [], verdict: [], caveat: "", footer: [] };

export interface ImageAnswer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  steps: StepState[];
  picture: ImagePicture | null;
}
export const NO_IMAGE_ANSWER: ImageAnswer = { generation: 0, state: "empty", message: null, unknown: null, dropped: [], steps: [], picture: null };

export interface TermImages {
  name: string;
  group: number;
  count: number;
  drawable: boolean;
  saved: number;
  remark: string;
}
export const NO_TERM_IMAGES: TermImages = { name: "", group: 0, count: 0, drawable: false, saved: 0, remark: "" };

export interface ImageRow {
  id: string;
  term: number;
  source: number;
  alt: string;
  remark: string;
}
export const NO_IMAGE_ROW: ImageRow = { id: "", term: 0, source: 0, alt: "", remark: "" };

export interface RejectedImageRow {
  id: string;
  name: string;
  term: string;
  reason: string;
}
export const NO_REJECTED_IMAGE_ROW: RejectedImageRow = { id: "", name: "", term: "", reason: "" };

export interface Images {
  version: number;
  terms: TermImages[];
  sources: string[];
  images: ImageRow[];
  rejected: RejectedImageRow[];
  notes: string[];
  problems: string[];
}
export const NO_IMAGES: Images = { version: 0, terms: [], sources: [], images: [], rejected: [], notes: [], problems: [] };

export interface Thumbnails {
  number: number;
  pictures: Record<string, unknown>;
  missing: Record<string, unknown>;
}
export const NO_THUMBNAILS: Thumbnails = { number: 0, pictures: {}, missing: {} };

export interface ImageScoresOf {
  model: string;
  scores: (number | null)[];
  tones: string;
}
export const NO_IMAGE_SCORES_OF: ImageScoresOf = { model: "", scores: [], tones: "" };

export interface ImageScores {
  version: number;
  images: number;
  models: ImageScoresOf[];
}
export const NO_IMAGE_SCORES: ImageScores = { version: 0, images: 0, models: [] };

export interface ModelAnswer {
  name: string;
  both: [number, number] | null;
  by_template: [string, number, number][];
  by_concept: [string, number, number][];
  failure: string;
}
export const NO_MODEL_ANSWER: ModelAnswer = { name: "", both: null, by_template: [], by_concept: [], failure: "" };

export interface ImageDetail {
  id: string;
  place: string;
  term: string;
  alt: string;
  picture: string;
  about: string[];
  models: ModelAnswer[];
}
export const NO_IMAGE_DETAIL: ImageDetail = { id: "", place: "", term: "", alt: "", picture: "", about: [], models: [] };

export interface MorphSource {
  key: string;
  label: string;
  about: string;
}
export const NO_MORPH_SOURCE: MorphSource = { key: "", label: "", about: "" };

export interface MorphCurve {
  alphas: number[];
  mean: number[];
  band: [number, number][];
  stimuli: number[];
  observers: number[][];
}
export const NO_MORPH_CURVE: MorphCurve = { alphas: [], mean: [], band: [], stimuli: [], observers: [] };

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
export const NO_MORPH_PICTURE: MorphPicture = { item: "", model: "", observer: 0, curve: NO_MORPH_CURVE, fit: null, pse: 0.0, pse_at: "at", interval: null, interval_over: "", level: 0.0, jnd: null, jnd_label: "", lean: "cue_1", verdict: [], caveat: "", strip_at: [], strip: [] };

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
export const NO_MORPH: Morph = { state: "closed", message: "", done: 0, total: 0, items: [], observers: [], cues: ["woman", "man"], sources: [], steps: [], about: "", picture: null };

export interface MorphAt {
  item: string;
  model: string;
  observer: number;
  alpha: number;
  picture: string;
  alt: string;
  answer: number | null;
}
export const NO_MORPH_AT: MorphAt = { item: "", model: "", observer: 0, alpha: 0.5, picture: "", alt: "", answer: null };

export interface TemplateOption {
  text: string;
  kind: "caption" | "question";
}
export const NO_TEMPLATE_OPTION: TemplateOption = { text: "", kind: "caption" };

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
  readonly painters: MakerOption[];
  readonly prompts: PromptOption[];
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
  line: NO_LINE,
  marks: [],
  images: NO_IMAGES,
  thumbnails: NO_THUMBNAILS,
  scores: NO_IMAGE_SCORES,
  detail: NO_IMAGE_DETAIL,
  morph: NO_MORPH,
  morph_at: NO_MORPH_AT,
  templates: [],
  painters: [],
  prompts: [],
  folders: false,
  making: NO_MAKING,
} satisfies Partial<ImageBenchState>;

export const LIMITS = {
  step: {"min": 1, "max": 3, "step": 1, "above": false, "integer": true},
  level: {"min": 0.5, "max": 0.999, "step": 0.01, "above": false, "integer": false},
  seed: {"min": 0, "max": 9007199254740991, "step": 1, "above": false, "integer": true},
  per_term: {"min": 1, "max": 2000, "step": 1, "above": false, "integer": true},
  morph_observer: {"min": 0, "max": 10000, "step": 1, "above": false, "integer": true},
  alpha: {"min": 0, "max": 1, "step": 0.01, "above": false, "integer": false},
  make_count: {"min": 1, "max": 50, "step": 1, "above": false, "integer": true},
};

export const VIEW_FIELDS = [] as const;

export const FIELDS = { defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS };

export type Inputs = Pick<ImageBenchState, keyof typeof DEFAULTS>;

export type Outputs = Pick<ImageBenchState, keyof typeof OUTPUTS>;
