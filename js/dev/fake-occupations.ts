/** Answers of the occupations bench as Python gives them, made up. */
import { DEFAULTS, type Inputs } from "../src/benches/occupations/store";
import type {
  Agreement,
  Answer,
  Comparison,
  Contrast,
  Correlation,
  Measure,
  OccupationsBenchState,
  Picture,
} from "../src/generated/occupations";
import { gauss, generator } from "./random";

/** Share of men among those who work in an occupation, in per cent. */
export const MEN: Record<string, number> = {
  nurse: 10.4,
  educator: 29.2,
  salesperson: 52,
  clerk: 30.5,
  therapist: 23.4,
  teacher: 29.1,
  counselor: 33.5,
  worker: 62.1,
  administrator: 45.1,
  supervisor: 61.5,
  secretary: 5.4,
  instructor: 37.7,
  programmer: 78.9,
  accountant: 40.3,
  investigator: 54.9,
  psychologist: 29.8,
  technician: 58.3,
  specialist: 59.1,
  scientist: 60.5,
  doctor: 62.1,
  advisor: 62.1,
  broker: 44.5,
  lawyer: 65.5,
  manager: 61.5,
  chef: 80.4,
  officer: 69.6,
  physician: 62.1,
  firefighter: 96.5,
  engineer: 89.3,
  architect: 79.2,
};

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

const GENDERS = [
  { name: "female", terms: PAIRS.map(([a]) => a) },
  { name: "male", terms: PAIRS.map(([, b]) => b) },
];
export const RELIGIONS = [
  { name: "Jewish", terms: ["judaism", "jew", "synagogue", "torah", "rabbi"] },
  { name: "Christian", terms: ["christianity", "christian", "church", "bible", "priest"] },
  { name: "Muslim", terms: ["islam", "muslim", "mosque", "quran", "imam"] },
];

export function wordsOf(n: number): string[] {
  const known = Object.keys(MEN);
  return Array.from({ length: n }, (_, i) => known[i] ?? `occupation ${i + 1}`);
}

export function initialState(inputs: Partial<Inputs> = {}): OccupationsBenchState {
  return {
    ...DEFAULTS,
    subject: "wiki-bootstraps",
    words: [...wordsOf(30), "electrician"],
    groups: GENDERS,
    outside: "bls",
    generation: 0,
    command: { id: 0, name: "", args: {} },
    subjects: [
      {
        name: "wiki-bootstraps",
        about: "bundled subject, for teaching and tests",
        kind: "ensemble",
        replicates: 32,
      },
      { name: "GoogleNews word2vec", about: "one embedding", kind: "embedding", replicates: 1 },
    ],
    answer: { ...NOTHING, message: null },
    progress: { done: 0, total: 0, message: "", seconds_left: null },
    reply: { id: 0, ok: true, message: "" },
    marks: [
      {
        list: 0,
        position: 30,
        term: "electrician",
        kind: "unknown",
        reason: "not in this vocabulary",
        suggestions: ["electrical", "electric", "electricity"],
      },
    ],
    outside_options: [
      {
        key: "bls",
        title: "Women among those who work in the occupation",
        unit: "percent",
        source: "U.S. Bureau of Labor Statistics 2015 and 2016",
        own: false,
      },
    ],
    psychometric: "psychometric",
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
};

/** What Python would answer to these inputs. */
export function answerTo(inputs: Inputs, generation: number, last: Picture | null): Answer {
  const words = inputs.words.filter((word) => word !== "electrician");
  if (words.length === 0) {
    const actions = [{ label: "Load the occupations", set: { words: wordsOf(30) } }];
    const text = "Add words, paste a column, or load a list.";
    const message = { title: "No words to ask about", text, actions };
    return { ...NOTHING, generation, picture: last, message };
  }
  const picture = pictureOf({ ...inputs, words });
  if (inputs.subject === "GoogleNews word2vec" && pairsOf(inputs).length < 2) {
    const message = {
      title: "One embedding: no intervals",
      text: "The switch points are exact, but there is nothing to vary. Add cues.",
      actions: [{ label: "Use all combinations of cues", set: { pairing: "all" } }],
    };
    return { ...NOTHING, generation, state: "cannot-say", picture, message };
  }
  return { ...NOTHING, generation, state: "ready", picture };
}

function pairsOf({ groups, pairing }: Inputs, a = 0, b = 1): [string, string][] {
  const one = groups[a]?.terms ?? [];
  const two = groups[b]?.terms ?? [];
  if (pairing === "all") return one.flatMap((x) => two.map((y): [string, string] => [x, y]));
  if (pairing === "sets") return [[groups[a]!.name, groups[b]!.name]];
  return one.slice(0, two.length).map((x, i) => [x, two[i]!]);
}

export function pictureOf(inputs: Inputs): Picture {
  const { words, groups } = inputs;
  const contrasts: Contrast[] = [];
  for (let a = 0; a < groups.length; a++)
    for (let b = a + 1; b < groups.length; b++) contrasts.push(contrastOf(inputs, a, b));
  const [first] = contrasts;
  const outside = words.map((word) => (inputs.outside ? (MEN[word] ?? null) : null));
  const n = first?.lean_counts ?? [0, 0, 0];
  const agreement = inputs.outside && first ? agreementWith(words, first.pse, outside) : null;
  return {
    words,
    groups: groups.map((g) => g.name),
    contrasts,
    verdict: [
      {
        text: `${n[0]} of ${words.length} occupations lean ${groups[0]?.name}, ${n[1]} lean ${groups[1]?.name}, ${n[2]} show no clear lean.`,
        role: "strong",
      },
      {
        text: " The more men work in an occupation, the less maleness the model needs: ",
        role: "plain",
      },
      { text: "r = −0.75", role: "strong" },
      { text: ", between −0.88 and −0.57.", role: "plain" },
    ],
    caveat:
      "Intervals are over resampled corpora (95 %; 32 replicates, 8 cue pairs, pairs taken as a sample). 1 of 31 occupations left out.",
    why: "The PSE is how much male the blend must hold before the model answers male. A word that is tied to male needs less of it: its PSE is low. So where the model follows the table, r is negative.",
    agreement_pse: agreement,
    agreement_jnd: agreement && {
      ...agreementWith(
        words,
        first!.jnd,
        outside.map((m) => (m === null ? null : Math.sqrt((m / 100) * (1 - m / 100)))),
      ),
      x_label: "√(p(1 − p)) of the share of men",
    },
    outside,
    outside_label: inputs.outside ? "men in the occupation, %" : "",
    comparison: agreement ? COMPARISON : null,
    ranking: groups.length > 2 ? rankingOf(words, groups.length) : null,
    interval_level: 0.95,
    interval_over: "resampled corpora",
    unit: "replicates",
    jnd_label: "0.674 σ, quartile",
    footer: [
      "wiki-bootstraps 3f9a11c2",
      `${words.length} words × ${first?.pairs.length ?? 0} pairs × 32 replicates`,
      "21.4 ms",
    ],
  };
}

function contrastOf(inputs: Inputs, a: number, b: number): Contrast {
  const { words, groups } = inputs;
  const pairs = pairsOf(inputs, a, b);
  const random = generator(7 + 31 * a + 17 * b + pairs.length);
  const exact = inputs.subject === "GoogleNews word2vec" && pairs.length < 2;
  const pse = words.map((word) => 0.5 + (50 - (MEN[word] ?? 50)) * 0.004 + 0.06 * gauss(random));
  const points = pse.map((m) => pairs.map(() => round(m + 0.07 * gauss(random))));
  const mean = points.map((p) => round(p.reduce((x, y) => x + y, 0) / p.length));
  const half = words.map(() => 0.03 + 0.06 * random());
  const jnd = words.map(() => 0.05 + 0.03 * random());
  const low = mean.map((m, i) => (exact ? null : round(m - half[i]!)));
  const high = mean.map((m, i) => (exact ? null : round(m + half[i]!)));
  const lean = mean.map((_, i) => (exact ? 2 : low[i]! > 0.5 ? 1 : high[i]! < 0.5 ? -1 : 0));
  const count = (what: number) => lean.filter((l) => l === what).length;
  return {
    group_1: groups[a]!.name,
    group_2: groups[b]!.name,
    pairs,
    pse: { value: mean, low, high, points, axis: [0.2, 1] },
    jnd: {
      value: jnd.map(round),
      low: jnd.map((v) => (exact ? null : round(0.8 * v))),
      high: jnd.map((v) => (exact ? null : round(1.3 * v))),
      points: jnd.map((v) => pairs.map(() => round(v * (0.7 + 0.6 * random())))),
      axis: [0, 0.15],
    },
    lean,
    pair_sd: points.map((p, i) =>
      p.length < 2
        ? null
        : round(Math.sqrt(p.reduce((s, v) => s + (v - mean[i]!) ** 2, 0) / (p.length - 1))),
    ),
    reason: words.map(() => ""),
    lean_counts: [count(1), count(-1), count(0)],
  };
}

function agreementWith(words: string[], y: Measure, outside: (number | null)[]): Agreement {
  const there = words.map((_, i) => i).filter((i) => outside[i] !== null && y.value[i] !== null);
  const xs = there.map((i) => outside[i]!);
  const ys = there.map((i) => 100 * y.value[i]!);
  const r = pearson(xs, ys);
  const [mx, my] = [mean(xs), mean(ys)];
  const slope = (r * spread(ys)) / (spread(xs) || 1);
  const line_x = [Math.min(...xs), mx, Math.max(...xs)];
  const line_y = line_x.map((x) => my + slope * (x - mx));
  return {
    x_label: "men in the occupation, % (US labour statistics 2015–16)",
    source:
      "U.S. Bureau of Labor Statistics 2015 and 2016, as compiled by Rudinger and others 2018",
    words: there.map((i) => words[i]!),
    x: xs,
    y: ys,
    pearson: correlation(r, there.length),
    spearman: correlation(0.95 * r, there.length),
    line_x,
    line_y,
    line_low: line_y.map((v, i) => v - (i === 1 ? 1.5 : 5)),
    line_high: line_y.map((v, i) => v + (i === 1 ? 1.5 : 5)),
    excluded: words
      .filter((_, i) => outside[i] === null)
      .map((term) => ({ term, role: "item", reason: "no outside number", suggestions: [] })),
    reason: "",
  };
}

function rankingOf(words: string[], k: number) {
  const random = generator(3);
  const first = words.map(() => {
    const weights = Array.from({ length: k }, () => random() ** 2);
    const sum = weights.reduce((a, b) => a + b, 0);
    return weights.map((w) => w / sum);
  });
  return {
    order: first.map((f) => f.map((_, g) => g).sort((a, b) => f[b]! - f[a]!)),
    first,
    caveat: "Places by pairwise curves.",
  };
}

function correlation(value: number, n: number): Correlation {
  const z = Math.atanh(value);
  const half = 1.96 / Math.sqrt(Math.max(1, n - 3));
  return { value, low: Math.tanh(z - half), high: Math.tanh(z + half), p: 0.001, reason: "" };
}

const row = (name: string, label: string, detail: string, r: number, gap: number | null) => ({
  name,
  label,
  detail,
  pearson: correlation(r, 30),
  spearman: correlation(r * 0.97, 30),
  gap,
  gap_low: gap === null ? null : gap - 0.16,
  gap_high: gap === null ? null : gap + 0.18,
});

const COMPARISON: Comparison = {
  words: 30,
  rows: [
    row("pse-pair-0", "PSE, one pair", "female–male", -0.58, 0.24),
    row("pse-matched", "PSE, pooled", "8 matched pairs", -0.75, 0.07),
    row("pse-all", "PSE, all combinations", "64 pairs", -0.77, 0.05),
    row("pse-sets", "PSE, mean cues", "one cue per group", -0.79, 0.03),
    row("WEAT effect size", "WEAT effect size", "word lists", 0.82, 0),
  ],
  verdict: [
    { text: "Averaging over all pairs closes most of the gap to WEAT: ", role: "strong" },
    { text: "what is left of it, 0.05, is not clear.", role: "quiet" },
  ],
  caveat: "Intervals are over words (bootstrap, 95 %).",
};

const round = (v: number) => Math.round(v * 1e5) / 1e5;
const mean = (v: number[]) => v.reduce((a, b) => a + b, 0) / Math.max(1, v.length);
const spread = (v: number[]) => Math.sqrt(mean(v.map((x) => (x - mean(v)) ** 2)));
function pearson(x: number[], y: number[]): number {
  const [mx, my] = [mean(x), mean(y)];
  return mean(x.map((v, i) => (v - mx) * (y[i]! - my))) / (spread(x) * spread(y) || 1);
}
