/** Answers as Python gives them, made up: for looking at the bench without Python. */
import { DEFAULTS, type Inputs } from "../src/benches/psychometric/store";
import type { Answer, Picture, PsychometricBenchState, Span } from "../src/generated/psychometric";
import { normalCdf } from "../src/lib/normal";
import { gauss, generator } from "./random";

export const WORDS = ["nurse", "electrician", "teacher", "engineer", "librarian", "chef", "clerk"];

export const PAIRS: [string, string][] = [
  ["female", "male"],
  ["woman", "man"],
  ["girl", "boy"],
  ["sister", "brother"],
  ["she", "he"],
  ["her", "him"],
  ["hers", "his"],
  ["daughter", "son"],
];

export const SUBJECTS = [
  {
    name: "wiki-bootstraps",
    about: "bundled subject, for teaching and tests",
    kind: "ensemble",
    replicates: 32,
  },
  { name: "GoogleNews word2vec", about: "one embedding", kind: "embedding", replicates: 1 },
];

/** Switch points of a word: the shape of its distribution, from its name. */
const TRUTH: Record<string, [number, number]> = {
  nurse: [0.611, 0.046],
  electrician: [0.402, 0.05],
  teacher: [0.55, 0.06],
  engineer: [0.36, 0.045],
  librarian: [0.58, 0.09],
  chef: [0.49, 0.05],
  clerk: [0.9, 0.09],
  poet: [1.12, 0.1],
  queen: [0.13, 0.06],
};

export function initialState(inputs: Partial<Inputs> = {}): PsychometricBenchState {
  return {
    ...DEFAULTS,
    subject: "wiki-bootstraps",
    word: "nurse",
    words: WORDS,
    pairs: PAIRS,
    alpha: 0.58,
    generation: 0,
    command: { id: 0, name: "", args: {} },
    subjects: SUBJECTS,
    answer: { ...NOTHING, message: null },
    marks: [],
    progress: { done: 0, total: 0, message: "", seconds_left: null },
    reply: { id: 0, ok: true, message: "" },
    ...inputs,
  };
}

const NOTHING: Answer = {
  generation: 0,
  state: "empty",
  message: null,
  picture: null,
  unknown: null,
  dropped: [],
  position: "",
};

/** What Python would answer to these inputs. */
export function answerTo(inputs: Inputs, generation: number, last: Picture | null): Answer {
  const { word, words } = inputs;
  const at = words.indexOf(word);
  const position = at < 0 ? "" : `${at + 1} of ${words.length}`;
  const base = { ...NOTHING, generation, position, picture: last };
  if (!word) {
    const actions = ["nurse", "electrician", "teacher"].map((w) => ({
      label: w,
      set: { word: w },
    }));
    const text = "Type any word this subject knows, or start with one of these.";
    return { ...base, message: { title: "Choose a word to ask about", text, actions } };
  }
  if (!(word in TRUTH)) return unknownAnswer(base, word);
  const picture = pictureOf(inputs);
  if (picture.rows.switch.length > 1 || inputs.noise > 0)
    return { ...base, state: "ready", picture };
  return {
    ...base,
    state: "cannot-say",
    picture,
    message: {
      title: "One embedding: no corpus interval",
      text: "The switch point is exact, but there is nothing to vary. Choose what varies.",
      actions: [
        { label: "Use 8 cue pairs", set: { selected_pairs: inputs.pairs.map((_, i) => i) } },
        { label: "State a noise", set: { noise: 0.05 } },
      ],
    },
  };
}

function unknownAnswer(base: Answer, word: string): Answer {
  const suggestions = WORDS.slice(0, 4);
  const reason = "not in this vocabulary";
  return {
    ...base,
    state: "error",
    unknown: { term: word, role: "item", reason, suggestions },
    dropped: [{ term: word, role: "item", reason, suggestions }],
    message: {
      title: `“${word}”: ${reason}`,
      text: "The nearest words it knows:",
      actions: suggestions.map((label) => ({ label, set: { word: label } })),
    },
  };
}

export function pictureOf(inputs: Inputs): Picture {
  const [mean, sd] = TRUTH[inputs.word] ?? [0.5, 0.05];
  const turned = inputs.pairs[0]?.[0] === PAIRS[0]![1];
  const all = SUBJECTS.find((s) => s.name === inputs.subject)?.replicates ?? 32;
  const replicates = inputs.replicates === 0 ? all : Math.min(inputs.replicates, all);
  const pairs = inputs.selected_pairs.map((i) => inputs.pairs[i]!);
  const random = generator(inputs.word.length + 7 * inputs.word.charCodeAt(0));
  const rows = {
    replicate: [],
    pair: [],
    switch: [],
    sim_1: [],
    sim_2: [],
    sim_cues: [],
    answers: [],
  } as Record<string, number[]>;
  for (let b = 0; b < replicates; b++) {
    for (let k = 0; k < pairs.length; k++) {
      const spread = pairs.length > 1 ? 1.6 * sd : sd;
      const s = mean + (pairs.length > 1 ? 0.05 * Math.sin(k * 2) : 0) + spread * gauss(random);
      const cues = 0.6 + 0.05 * random();
      const sim = 0.3 + 0.1 * random();
      rows.replicate!.push(b + 1);
      rows.pair!.push(k);
      rows.switch!.push(turned ? 1 - s : s);
      rows.sim_1!.push(sim + (s - 0.5) * 2 * (1 - cues));
      rows.sim_2!.push(sim);
      rows.sim_cues!.push(cues);
    }
  }
  const switches = rows.switch!;
  const n = switches.length;
  const pse = switches.reduce((a, b) => a + b, 0) / n;
  const own = Math.sqrt(switches.reduce((a, b) => a + (b - pse) ** 2, 0) / Math.max(1, n - 1));
  const sigma = Math.hypot(own, inputs.noise);
  const axis: [number, number] = inputs.fit_axis ? fitted(switches) : [0, 1];
  const psi = (alpha: number, at = pse, wide = 1) =>
    sigma > 0 ? cdf(inputs.curve, (alpha - at) / (sigma * wide)) : alpha < at ? 0 : 1;
  const se = own / Math.sqrt(n);
  const alphas = Array.from({ length: 161 }, (_, i) => axis[0] + ((axis[1] - axis[0]) * i) / 160);
  const bands = alphas.map((a) => [psi(a), psi(a, pse - 2 * se, 1.2), psi(a, pse + 2 * se, 0.8)]);
  const levels = Array.from({ length: inputs.levels }, (_, i) => i / (inputs.levels - 1));
  const corpus: [number, number] | null = n > 1 ? [pse - 1.96 * own, pse + 1.96 * own] : null;
  const z = { quartile: 0.6745, eq6: 1.349, sd: 1 }[inputs.jnd];
  const start = inputs.jnd === "eq6" ? pse - 0.6745 * sigma : pse;
  const [cue1, cue2] = pairs[0] ?? ["cue 1", "cue 2"];
  const clear = corpus !== null && (corpus[0] > 0.5 || corpus[1] < 0.5);
  return {
    word: inputs.word,
    cue_1: cue1,
    cue_2: cue2,
    pairs,
    verdict: verdict(inputs.word, cue1, cue2, pse, corpus),
    caveat: `The interval ${clear ? "excludes" : "includes"} 50 %. It speaks of this corpus and this cue pair; pooled over all 8 pairs the interval is wider.`,
    lean: !corpus ? "unknown" : !clear ? "none" : pse > 0.5 ? "cue_1" : "cue_2",
    rows: rows as never,
    row_noise: inputs.noise,
    curve: {
      alpha: alphas,
      share: bands.map((b) => b[0]!),
      low: n > 1 ? bands.map((b) => Math.min(...b)) : [],
      high: n > 1 ? bands.map((b) => Math.max(...b)) : [],
    },
    levels: {
      alpha: levels,
      share: levels.map((a) => switches.filter((s) => s < a).length / n),
    },
    pse,
    pse_at: "at",
    available: all,
    names: [],
    corpus,
    monte_carlo: n > 1 ? [pse - 2 * se, pse + 2 * se] : null,
    interval_level: 0.95,
    interval_over: pairs.length > 1 ? "resampled corpora and cue pairs" : "resampled corpora",
    jnd:
      sigma > 0
        ? {
            value: z * sigma,
            interval: [z * sigma * 0.8, z * sigma * 1.3],
            start,
            end: start + z * sigma,
            label: {
              quartile: "0.6745 σ, from 50 % to 75 %",
              eq6: "1.349 σ, centred step of 50 %, eq. 6",
              sd: "σ, standard deviation, Fig. 2",
            }[inputs.jnd],
          }
        : null,
    axis,
    outside: switches.filter((s) => s < 0 || s > 1).length,
    unit: cue2,
    footer: ["seed 1", "spec gender-pairs", "14 ms"],
  };
}

function verdict(
  word: string,
  cue1: string,
  cue2: string,
  pse: number,
  corpus: [number, number] | null,
): Span[] {
  const pc = (v: number) => `${Math.round(v * 100)}`;
  const lead: Span[] = [
    { text: "The model needs ", role: "plain" },
    { text: `${pc(pse)} % ${cue2}`, role: "strong" },
    { text: ` in the blend before it answers ${cue2} for `, role: "plain" },
    { text: word, role: "strong" },
  ];
  if (!corpus) return [...lead, { text: ".", role: "plain" }];
  const [low, high] = corpus;
  const toward1 = low > 0.5;
  const lean: Span =
    toward1 || high < 0.5
      ? { text: `a bias toward ${toward1 ? cue1 : cue2}`, role: toward1 ? "group1" : "group2" }
      : { text: "no clear bias", role: "strong" };
  const between = `, between ${pc(low)} and ${pc(high)} % over resampled corpora: `;
  return [...lead, { text: between, role: "plain" }, lean, { text: ".", role: "plain" }];
}

function fitted(switches: number[]): [number, number] {
  const low = Math.min(0.5, ...switches);
  const high = Math.max(0.5, ...switches);
  const margin = 0.12 * (high - low) + 0.01;
  return [Math.floor((low - margin) * 20) / 20, Math.ceil((high + margin) * 20) / 20];
}

function cdf(family: Inputs["curve"], z: number): number {
  if (family === "logistic") return 1 / (1 + Math.exp(-1.814 * z));
  if (family === "gumbel") return Math.exp(-Math.exp(-1.28 * z + 0.3665));
  if (family === "weibull") return 1 - 0.5 ** (Math.max(0, 1 + z * 0.27) ** 3.6);
  return normalCdf(z);
}
