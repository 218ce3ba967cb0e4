/** Made-up pictures, scores and morphs of the image bench, for the dev page and the tests. */
import type { Inputs } from "../src/benches/images/store";
import {
  DEFAULTS,
  NO_DETAIL,
  NO_IMAGES,
  NO_MAKING,
  NO_MORPH,
  NO_MORPH_AT,
  NO_RUN,
} from "../src/benches/images/store";
import type {
  ImageAnswer,
  ImageBenchState,
  ImageDetail,
  ImagePicture,
  ImageScores,
  Images,
  Morph,
  MorphAt,
  Score,
  StepState,
} from "../src/generated/images";
import { normalCdf } from "../src/lib/normal";
import { gauss, generator } from "./random";

export const TERMS = [
  ["female nurse", 0],
  ["female scientist", 0],
  ["male nurse", 1],
  ["male scientist", 1],
] as const;
const TEMPLATES = ["a portrait of the {concept}", "this person is a {concept}"];

export const LISTS: Inputs["lists"] = [
  { name: "women", terms: TERMS.slice(0, 2).map(([t]) => t), kind: "groups" },
  { name: "men", terms: TERMS.slice(2).map(([t]) => t), kind: "groups" },
  { name: "helpers", terms: ["helper", "carer"], kind: "attributes", of: ["women"] },
  { name: "experts", terms: ["expert", "leader"], kind: "attributes", of: ["men"] },
];

/** A picture of one colour, as an address that holds it. */
export const painted = (hue: number) =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="hsl(${Math.round(hue)} 40% 60%)"/></svg>`,
  )}`;

export function imagesOf(each = 5, version = 1): Images {
  return {
    ...NO_IMAGES,
    version,
    terms: TERMS.map(([name, group]) => ({
      name,
      group,
      count: each,
      drawable: true,
      saved: group === 1 ? 2 : 0,
      remark: name === "male nurse" ? "Look at these." : "",
    })),
    sources: ["drawn", "uploaded"],
    images: TERMS.flatMap(([name], term) =>
      Array.from({ length: each }, (_, i) => ({
        id: `${name}-${i}`,
        term,
        source: i === 1 ? 1 : 0,
        alt: `${name}: hair ${i}`,
        remark: i === 1 && term === 0 ? "It was turned." : "",
      })),
    ),
    rejected: [
      { id: "gone", name: "gone.png", term: "female nurse", reason: "You removed it." },
      { id: "", name: "bad.svg", term: "female nurse", reason: "It is a program for drawing." },
    ],
    notes: ["Portraits are drawn stereotypes."],
  };
}

const EDGES = [0.2, 0.35, 0.65, 0.8];
const round = (v: number) => Math.round(1000 * v) / 1000;

function tone(score: number | null): string {
  if (score === null) return "f";
  if (Math.abs(score - 0.5) < 0.01) return "t";
  const size = Math.abs(score - 0.5);
  const step = size > 0.3 ? 2 : size > 0.15 ? 1 : 0;
  return (score > 0.5 ? "ABC" : "abc")[step]!;
}

export function scoresOf(images: Images, models: readonly string[]): ImageScores {
  return {
    version: 1,
    images: images.version,
    models: models.map((model, m) => {
      const random = generator(11 + m);
      const scores = images.images.map((_, i) =>
        i === 1 && m === 1 ? null : i === 2 ? 0.5 : round(normalCdf(0.3 + 0.9 * gauss(random))),
      );
      return { model, scores, tones: scores.map(tone).join("") };
    }),
  };
}

function scoreOf(values: readonly (number | null)[]): Score {
  const known = values.filter((v) => v !== null);
  const score = known.reduce((sum, v) => sum + v, 0) / Math.max(1, known.length);
  const half = 0.4 / Math.sqrt(Math.max(1, known.length));
  return {
    score: known.length > 0 ? score : null,
    low: known.length > 1 ? score - half : null,
    high: known.length > 1 ? score + half : null,
    lean: score - half > 0.5 ? 1 : score + half < 0.5 ? -1 : 0,
    images: known.length,
    stereotyped: known.filter((v) => v > 0.5).length,
  };
}

export function pictureOf(images: Images, scores: ImageScores): ImagePicture {
  const places = TERMS.map((_, term) =>
    images.images.flatMap((image, i) => (image.term === term ? [i] : [])),
  );
  const total = images.images.length * scores.models.length;
  return {
    groups: ["women", "men"],
    concepts: ["helpers", "experts"],
    run: { ...NO_RUN, number: 1, done: total, total, seconds: 2.1 },
    models: scores.models.map(({ model, scores: values }) => ({
      name: model,
      about: "a model",
      kind: "clip",
      state: "done",
      message: "",
      tested: values.length,
      seconds: 2,
      overall: scoreOf(values),
      templates: TEMPLATES.map((text) => [text, scoreOf(values)]),
      unasked: [["leader", "It is not among its answers."]],
      details: ["Cohen’s d 0.4"],
    })),
    terms: TERMS.map(([name, group], i) => ({
      name,
      group,
      images: places[i]!,
      scores: scores.models.map(({ scores: values }) =>
        scoreOf(places[i]!.map((at) => values[at]!)),
      ),
    })),
    edges: EDGES,
    comparisons: scores.models.length > 1 ? ["They do not differ."] : [],
    verdict: [
      { text: "Portraits of women draw “helpers”: score ", role: "plain" },
      { text: "58", role: "strong" },
      { text: ", between 55 and 62, ", role: "plain" },
      { text: "with the stereotype", role: "with" },
      { text: ".", role: "plain" },
    ],
    caveat: "95 % intervals, images resampled within terms.",
    footer: ["seed 1", "spec made-up"],
  };
}

const STEPS: StepState[] = [
  { title: "Specify", note: "4 image terms, 2 concept lists", state: "done", why: "" },
  { title: "Images", note: "20 portraits drawn", state: "done", why: "" },
  { title: "Test", note: "2 templates", state: "open", why: "" },
];

export function detailOf(images: Images, scores: ImageScores, id: string): ImageDetail {
  const at = images.images.findIndex((image) => image.id === id);
  const image = images.images[at]!;
  const own = TERMS[image.term]![1];
  return {
    id,
    place: "",
    term: TERMS[image.term]![0],
    alt: image.alt,
    picture: painted(17 * at),
    about: ["drawn"],
    models: scores.models.map(({ model, scores: values }) => {
      const score = values[at] ?? null;
      const both = (s: number): [number, number] => (own === 0 ? [s, 1 - s] : [1 - s, s]);
      if (score === null)
        return {
          name: model,
          both: null,
          by_template: [],
          by_concept: [],
          failure: "It could not be opened.",
        };
      const [one, two] = both(score);
      return {
        name: model,
        both: [one, two],
        by_template: TEMPLATES.map((text) => [text, one, two]),
        by_concept: [
          ["helper", 0, one / 2],
          ["carer", 0, one / 2],
          ["expert", 1, two / 2],
          ["leader", 1, two / 2],
        ],
        failure: "",
      };
    }),
  };
}

const SPREAD = 0.13;
const PSE: Record<string, number> = { nurse: 0.66, scientist: 0.42 };

export function morphOf(item: string, model: string): Morph {
  const alphas = Array.from({ length: 101 }, (_, i) => i / 100);
  const stimuli = Array.from({ length: 21 }, (_, i) => i / 20);
  const random = generator(5);
  const pse = PSE[item]!;
  const mean = alphas.map((a) => normalCdf((a - pse) / SPREAD));
  return {
    ...NO_MORPH,
    state: "ready",
    items: Object.keys(PSE),
    observers: ["portrait 1", "portrait 2"],
    sources: [{ key: "drawn", label: "drawn portraits", about: "Drawn from a seed." }],
    picture: {
      item,
      model,
      observer: 0,
      curve: {
        alphas,
        mean,
        band: mean.map((v) => [Math.max(0, v - 0.05), Math.min(1, v + 0.05)]),
        stimuli,
        observers: Array.from({ length: 30 }, () => {
          const own = pse + 0.08 * gauss(random);
          return stimuli.map((a) => normalCdf((a - own) / 0.09));
        }),
      },
      pse,
      pse_at: "at",
      interval: [pse - 0.17, pse + 0.17],
      interval_over: "portraits",
      level: 0.95,
      jnd: 0.09,
      jnd_label: "0.6745 σ",
      lean: "none",
      verdict: [
        { text: `A ${item} must look `, role: "plain" },
        { text: "66 % male", role: "strong" },
        { text: " before the model answers “man”.", role: "plain" },
      ],
      caveat: "30 portraits.",
      strip_at: [0, 0.2, 0.4, 0.6, 0.8, 1],
      strip: [0, 1, 2, 3, 4, 5].map((i) => painted(200 + 30 * i)),
    },
  };
}

export function morphAt(item: string, model: string, alpha: number): MorphAt {
  const answer = normalCdf((alpha - PSE[item]!) / SPREAD);
  const picture = painted(200 + 150 * alpha);
  return { item, model, observer: 0, alpha, picture, alt: `${item}, a blend`, answer };
}

interface Made {
  tested?: boolean;
  each?: number;
  morphs?: boolean;
}

/** The state of a bench at a step, tested or not. */
export function stateOf(
  inputs: Partial<Inputs> = {},
  { tested = true, each = 5, morphs = true }: Made = {},
): ImageBenchState {
  const models = inputs.models ?? ["portrait-clip"];
  const images = imagesOf(each);
  const scores = scoresOf(images, models);
  const answer: ImageAnswer = {
    generation: 0,
    state: tested ? "ready" : "empty",
    message: null,
    unknown: null,
    dropped: [],
    steps: STEPS,
    picture: tested ? pictureOf(images, scores) : null,
  };
  return {
    ...DEFAULTS,
    lists: LISTS,
    spec: "made-up",
    models,
    step: 3,
    morph_item: "nurse",
    ...inputs,
    answer,
    images,
    thumbnails: { number: 0, pictures: {}, missing: {} },
    scores: tested ? scores : { version: 0, images: 1, models: [] },
    detail: NO_DETAIL,
    morph: morphs ? morphOf("nurse", models[0]!) : NO_MORPH,
    morph_at: morphs ? morphAt("nurse", models[0]!, inputs.alpha ?? 0.5) : NO_MORPH_AT,
    templates: [
      ...TEMPLATES.map((text) => ({ text, kind: "caption" as const })),
      { text: "What is this person?", kind: "question" },
    ],
    painters: [{ key: "endpoint", name: "Endpoint", about: "A server.", endpoint: true }],
    prompts: [{ key: "portrait", label: "Portrait", text: "a portrait of a {term}" }],
    folders: false,
    making: NO_MAKING,
    marks: [],
    generation: 0,
    command: { id: 0, name: "", args: {} },
    subjects: ["portrait-clip", "another"].map((name) => ({
      name,
      about: "bundled, bias planted on purpose",
      kind: "clip",
      replicates: 1,
    })),
    progress: { done: 0, total: 0, message: "", seconds_left: null },
    reply: { id: 0, ok: true, message: "" },
  };
}
