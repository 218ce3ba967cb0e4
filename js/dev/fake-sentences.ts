/** Made-up pairs and scores of the sentence bench, for the tests. */
import type { Inputs } from "../src/benches/sentences/store";
import { DEFAULTS, NO_RUN, NO_SENTENCES } from "../src/benches/sentences/store";
import type {
  Answer,
  Detail,
  Picture,
  Scores,
  SentenceBenchState,
  Sentences,
  Share,
  StepState,
} from "../src/generated/sentences";
import { gauss, generator } from "./random";

export const MODELS = ["wiki-mlm", "wiki-clm"];
const ATTRIBUTES = [
  ["algebra", "math", 0],
  ["geometry", "math", 0],
  ["poetry", "arts", 1],
] as const;
const EACH = 4;

export const LISTS: Inputs["lists"] = [
  { name: "male", terms: ["man", "he"], kind: "groups" },
  { name: "female", terms: ["woman", "she"], kind: "groups" },
  { name: "math", terms: ["algebra", "geometry"], kind: "attributes", of: ["male"] },
  { name: "arts", terms: ["poetry"], kind: "attributes", of: ["female"] },
];

export function sentencesOf(version = 1): Sentences {
  const pairs = ATTRIBUTES.flatMap(([attribute, list, group]) =>
    Array.from({ length: EACH }, (_, i) => {
      const [one, two] = group === 0 ? ["man", "woman"] : ["woman", "man"];
      const ends = (word: string): [number, number] => [4, 4 + word.length];
      return {
        id: `${attribute}-${i}`,
        attribute,
        list,
        groups: (group === 0 ? [0, 1] : [1, 0]) as [number, number],
        stereotyped: `The ${one} read ${i} pages on ${attribute}.`,
        against: `The ${two} read ${i} pages on ${attribute}.`,
        terms: [ends(one!), ends(two!)] as [[number, number], [number, number]],
        changes: [[ends(one!), ends(two!)]] as [[number, number], [number, number]][],
        source: "template",
        remark: attribute === "poetry" && i === 0 ? "Look at this one." : "",
        edited: false,
      };
    }),
  );
  return {
    ...NO_SENTENCES,
    version,
    pairs,
    rejected: [
      {
        id: "gone",
        text: "Nobody read.",
        attribute: "",
        code: "no-term",
        reason: "No group’s term stands in it.",
        source: "typed",
      },
    ],
    attributes: ATTRIBUTES.map(([name, list]) => ({ name, list, pairs: EACH })),
    saved: 3,
  };
}

const outcome = (v: number | null) => (v === null ? "f" : v > 0 ? "s" : v < 0 ? "a" : "t");

export function scoresOf(sentences: Sentences): Scores {
  const models = MODELS.map((model, m) => {
    const random = generator(7 + m);
    const log_odds = sentences.pairs.map((_, i) =>
      i === 1 && m === 1 ? null : i === 2 ? 0 : Math.round(100 * gauss(random)) / 100 + 0.003,
    );
    return { model, log_odds, outcomes: log_odds.map(outcome).join("") };
  });
  return { version: 1, sentences: sentences.version, models };
}

function shareOf(values: readonly (number | null)[]): Share {
  const wins = values.filter((v) => v !== null && v > 0).length;
  const losses = values.filter((v) => v !== null && v < 0).length;
  const share = wins + losses > 0 ? wins / (wins + losses) : null;
  return {
    share,
    low: share === null ? null : Math.max(0, share - 0.2),
    high: share === null ? null : Math.min(1, share + 0.2),
    lean: 0,
    wins,
    losses,
    ties: values.filter((v) => v === 0).length,
    failures: values.filter((v) => v === null).length,
    mean_log_odds: 0.1,
  };
}

export function pictureOf(sentences: Sentences, scores: Scores): Picture {
  const places = ATTRIBUTES.map(([name]) =>
    sentences.pairs.flatMap((pair, i) => (pair.attribute === name ? [i] : [])),
  );
  return {
    groups: ["male", "female"],
    run: { ...NO_RUN, number: 1, done: 24, total: 24, seconds: 4.1 },
    models: scores.models.map(({ model, log_odds }) => ({
      name: model,
      about: "a model",
      kind: "mlm",
      scorer: "pll",
      scorer_label: "Pseudo-log-likelihood",
      formula: "PLL(w) = Σ log p",
      unit: "nats",
      state: "done",
      message: "",
      scored: log_odds.length,
      seconds: 2,
      overall: shareOf(log_odds),
      details: ["Wilson 40 to 60 %"],
    })),
    lists: [
      { name: "math", group: 0 },
      { name: "arts", group: 1 },
    ],
    attributes: ATTRIBUTES.map(([name, list, group], i) => ({
      name,
      list,
      group,
      pairs: places[i]!,
      shares: scores.models.map(({ log_odds }) => shareOf(places[i]!.map((at) => log_odds[at]!))),
    })),
    bias_types: [],
    edges: [0.6, 1.6],
    unit: "nats",
    failures: [{ pair: "algebra-1", model: "wiki-clm", reason: "It is too long." }],
    comparisons: ["They do not differ."],
    verdict: [
      { text: "wiki-mlm", role: "strong" },
      { text: " finds ", role: "plain" },
      { text: "a bias with the stereotype", role: "with" },
    ],
    caveat: "Intervals resample.",
    footer: ["seed 1"],
  };
}

const STEPS: StepState[] = [
  { title: "Specify", note: "2 groups, 3 attributes", state: "done", why: "" },
  { title: "Sentences", note: "12 pairs kept", state: "done", why: "" },
  { title: "Test", note: "2 models", state: "open", why: "" },
];

export function detailOf(sentences: Sentences, id: string): Detail {
  const pair = sentences.pairs.find((p) => p.id === id)!;
  const [first, second] = [pair.stereotyped.split(" "), pair.against.split(" ")];
  return {
    pair: id,
    place: "",
    unit: "nats",
    attribute: pair.attribute,
    remark: pair.remark,
    words: first.map((word, i) => ({
      first: word,
      second: second[i]!,
      role: word === second[i] ? "same" : "term",
      values: MODELS.map((_, m) => [-1 - i, -1.5 - i, 0.5 + m]),
    })),
    models: MODELS.map((name) => ({
      name,
      log_score: -10.5,
      log_score_against: -11.5,
      log_odds: 1,
      outcome: "s",
      ratio: "2.7 times as probable",
      failure: "",
    })),
  };
}

/** The state of a bench at a step, tested or not. */
export function stateOf(inputs: Partial<Inputs> = {}, tested = true): SentenceBenchState {
  const sentences = sentencesOf();
  const scores = scoresOf(sentences);
  const answer: Answer = {
    generation: 0,
    state: tested ? "ready" : "empty",
    message: null,
    unknown: null,
    dropped: [],
    steps: STEPS,
    picture: tested ? pictureOf(sentences, scores) : null,
  };
  return {
    ...DEFAULTS,
    lists: LISTS,
    spec: "made-up",
    models: MODELS,
    step: 3,
    ...inputs,
    answer,
    sentences,
    scores: tested ? scores : { version: 0, sentences: 1, models: [] },
    detail: { pair: "", place: "", words: [], models: [], unit: "", attribute: "", remark: "" },
    scorers: [
      {
        key: "pll",
        label: "Pseudo-log-likelihood",
        formula: "PLL(w) = Σ log p",
        about: "Each token masked.",
        source: "a paper",
        kind: "mlm",
      },
    ],
    writers: [{ key: "endpoint", name: "Endpoint", about: "A server.", endpoint: true }],
    prompt_styles: [{ key: "plain", label: "Plain", text: "asks for the two words" }],
    writing: { done: 0, total: 0, message: "", seconds_left: null },
    marks: [],
    generation: 0,
    command: { id: 0, name: "", args: {} },
    subjects: [...MODELS, "another"].map((name) => ({
      name,
      about: "a model",
      kind: "mlm",
      replicates: 1,
    })),
    progress: { done: 0, total: 0, message: "", seconds_left: null },
    reply: { id: 0, ok: true, message: "" },
  };
}
