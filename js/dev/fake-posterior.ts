/** Made-up runs of the posterior bench, for the dev page and the tests. */

import type { Inputs } from "../src/benches/posterior/store";
import { DEFAULTS, NO_RUN } from "../src/benches/posterior/store";
import type {
  Answer,
  Clouds,
  Groups,
  Packed,
  Picture,
  PosteriorBenchState,
  PriorOption,
  Quantity,
  RunState,
  Traces,
  WordRow,
} from "../src/generated/posterior";
import { gauss, generator } from "./random";

export const PRIORS: PriorOption[] = [
  {
    key: "stimuli",
    name: "Gaussian fitted to review means",
    text: "A Gaussian with the mean and the full covariance of the averaged word vectors of 25,000 reviews.",
  },
  {
    key: "standard",
    name: "Standard normal",
    text: "N(0, I): every direction alike, as far as the paper’s numbers tell.",
  },
  {
    key: "words",
    name: "Gaussian fitted to word vectors",
    text: "A Gaussian with the mean and the full covariance of the word vectors.",
  },
];

const WARMUP = 200;
const BLOCKS = 50;
const NAMES = [
  ["logit", "logit of p(positive | s)", 3, 1],
  ["square", "|s|²", 92, 12],
  ["s_17", "s_17", 0.1, 0.9],
] as const;

export function pack(values: ArrayLike<number>, shape: number[]): Packed {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i]!)) continue;
    low = Math.min(low, values[i]!);
    high = Math.max(high, values[i]!);
  }
  if (!(high > low))
    [low, high] = [Number.isFinite(low) ? low : 0, (Number.isFinite(low) ? low : 0) + 1];
  const parts: string[] = [];
  for (let i = 0; i < values.length; i++) {
    const v = values[i]!;
    const n = Number.isNaN(v) ? 65535 : Math.round((65534 * (v - low)) / (high - low));
    parts.push(String.fromCharCode(n & 255, n >> 8));
  }
  return { shape, low, high, data: btoa(parts.join("")) };
}

interface Told {
  /** Steps so far, warm-up included. */
  done: number;
  running: boolean;
  partial?: boolean;
  /** One chain sits elsewhere. */
  stuck?: boolean;
  version?: number;
  number?: number;
}

export function tracesOf(inputs: Inputs, { done, stuck, version = 1, number = 1 }: Told): Traces {
  const random = generator(7);
  const kept = Math.max(0, done - WARMUP);
  const quantities = NAMES.map(([name, label, mean, sd]) => {
    const chain = (i: number, n: number) => {
      const away = stuck && (i === 2 || i === 41) ? 2.2 * sd : 0;
      let v = mean + sd * 5 * gauss(random);
      return Float32Array.from({ length: n }, (_, t) => {
        const warm = Math.max(0, 1 - t / 60);
        v = mean + away + 0.55 * (v - mean - away) + 0.83 * sd * gauss(random) * (1 + 2 * warm);
        return v;
      });
    };
    const lines: number[] = [];
    const warm = name.startsWith("s_") ? 0 : Math.min(WARMUP, done);
    for (let i = 0; i < 4; i++)
      lines.push(...chain(i, done).subarray(Math.min(WARMUP, done) - warm));
    const blocks = Math.min(BLOCKS, kept);
    const strips: number[] = [];
    const each = kept / Math.max(1, blocks);
    for (let i = 0; i < inputs.chains; i++) {
      const values = chain(i, kept + 60).subarray(60);
      for (let b = 0; b < blocks; b++) {
        const part = values.subarray(Math.floor(b * each), Math.max(1, Math.floor((b + 1) * each)));
        strips.push(part.reduce((a, c) => a + c, 0) / Math.max(1, part.length));
      }
    }
    return {
      name,
      label,
      warmup: warm,
      lines: pack(lines, [4, lines.length / 4]),
      strips: pack(strips, [inputs.chains, blocks]),
      low: mean - 3.4 * sd,
      high: mean + 3.4 * sd,
    };
  });
  return { run: number, version, label: inputs.label, quantities };
}

export function cloudsOf(inputs: Inputs, told: Told, n?: number): Clouds {
  const random = generator(11);
  const kept = Math.max(0, told.done - WARMUP);
  const count = n ?? Math.min(inputs.chains * kept, 64_000);
  const cloud = (label: string, x: number) => {
    const points: number[] = [];
    for (let i = 0; i < count; i++) points.push(x + 1.05 * gauss(random), 1.05 * gauss(random));
    return { label, points: pack(points, [count, 2]) };
  };
  return {
    run: 1,
    version: told.version ?? 1,
    axes: inputs.axes,
    clouds: count > 0 ? [cloud("negative", -0.75), cloud("positive", 0.75)] : [],
  };
}

function quantitiesOf({ done, stuck }: Told): Quantity[] {
  const kept = Math.max(0, done - WARMUP);
  const share = Math.min(1, kept / 1000);
  const steps = kept < 20 ? 0 : Math.max(2, Math.round(24 * share));
  return NAMES.map(([name, label, mean, sd], k) => {
    const final = stuck && k !== 1 ? 1.061 + 0.02 * k : 1.002 + 0.002 * k;
    const path = Array.from({ length: steps }, (_, i) => final + 0.3 * Math.exp(-i / 2.4));
    return {
      name,
      label,
      rhat: steps ? path.at(-1)! : null,
      rhat_limit: 1.012,
      rhat_path: path,
      rhat_draws: path.map((_, i) => Math.round((kept * (i + 1)) / steps)),
      ess_bulk: steps ? [5870, 4312, 3418][k]! * share * (stuck ? 0.06 : 1) : null,
      ess_tail: steps ? [6104, 5220, 4077][k]! * share * (stuck ? 0.06 : 1) : null,
      mcse: steps ? [0.0152, 0.212, 0.0171][k]! / Math.sqrt(share) : null,
      mean: steps ? mean : null,
      sd: steps ? sd : null,
      autocorrelation: steps
        ? [
            1,
            0.18 + 0.06 * k,
            0.05 + 0.02 * k,
            0.01,
            -0.012,
            0.02,
            0.006,
            0.015,
            0.004,
            -0.011,
            0.008,
            0,
            0.01,
            -0.006,
            0.012,
            -0.01,
            0.004,
            0.009,
            -0.004,
            0.002,
          ]
        : [],
      bound: 0.06,
    };
  });
}

const row = (
  word: string,
  distance: number,
  rank: number,
  polarity: number | null,
  difference: number,
): WordRow => ({
  word,
  distance,
  low: distance - 0.0011,
  high: distance + 0.0011,
  rank,
  polarity,
  difference,
});

const CLOSEST = [
  row("wonderful", 0.4888, 1, 1, 4.2),
  row("unforgettable", 0.4895, 2, 1, 3.8),
  row("devilish", 0.4901, 3, -1, 2.1),
  row("amazing", 0.4907, 4, 1, 3.2),
  row("versatility", 0.491, 5, 1, 2.9),
  row("cherished", 0.4911, 6, 1, 3.1),
];
const FARTHEST = [
  row("dreadfully", 0.5131, 6789, -1, -3.6),
  row("smother", 0.5129, 6788, -1, -3.1),
  row("substandard", 0.5126, 6787, -1, -3.4),
  row("lifeless", 0.5119, 6786, -1, -3.3),
  row("hideously", 0.5118, 6785, -1, -2.8),
  row("mess", 0.5117, 6784, -1, -3),
];

function groupsOf(): Groups {
  const random = generator(5);
  const group = (name: string, mean: number) => ({
    name,
    mean,
    low: mean - 0.001,
    high: mean + 0.001,
    members: Array.from({ length: 31 }, (_, i) => ({
      word: `${name} ${i + 1}`,
      distance: mean + 0.0032 * gauss(random),
    })),
  });
  return {
    rows: [group("female names", 0.5034), group("male names", 0.4992)],
    difference: 0.0042,
    low: 0.0026,
    high: 0.0058,
    d: 1.35,
    p: 0.0004,
    text: "Difference 0.0042 (0.0026 to 0.0058), d = 1.35, permutation p < 0.001.",
  };
}

export function runState(inputs: Inputs, told: Told): RunState {
  const total = WARMUP + inputs.draws;
  const seconds = (0.9 * told.done) / total;
  return {
    ...NO_RUN,
    number: told.number ?? 1,
    running: told.running,
    stage: told.running ? (told.done < WARMUP ? "warm-up" : "sampling") : "",
    done: told.done,
    total: 2 * total,
    seconds,
    seconds_left: told.running
      ? (seconds * (2 * total - told.done)) / Math.max(1, told.done)
      : null,
    draws: Math.max(0, told.done - WARMUP),
    chains: inputs.chains,
    acceptance: 0.81,
    partial: told.partial ?? false,
  };
}

export function pictureOf(inputs: Inputs, told: Told): Picture {
  const run = runState(inputs, told);
  const kept = run.draws;
  const done = !told.running;
  const quantities = quantitiesOf(told);
  const words = done && kept >= 20;
  const plain = (text: string) => ({ text, role: "plain" as const });
  const strong = (text: string) => ({ text, role: "strong" as const });
  const outline = (label: string, x: number) => ({
    label,
    exact: done,
    centre: [x, 0] as [number, number],
    axes: [
      [1.05, 0],
      [0, 1.05],
    ] as [[number, number], [number, number]],
  });
  const at: Record<string, [number, number]> = {
    wonderful: [1.9, -0.2],
    unforgettable: [1.5, 1.3],
    devilish: [0.55, 1],
    amazing: [1.1, -1.4],
    cherished: [1.5, 0.55],
    dreadfully: [-1.9, -0.3],
    substandard: [-1.75, 0.3],
    lifeless: [-1.2, -1.5],
    mess: [-1.3, 0.65],
  };
  return {
    run,
    label: inputs.label,
    labels: ["negative", "positive"],
    other: inputs.label === "positive" ? "negative" : "positive",
    engine: inputs.engine,
    prior: PRIORS.find((p) => p.key === inputs.prior) ?? PRIORS[0]!,
    width: inputs.prior_width,
    trust: told.running
      ? { state: "running", text: "Drawing", reasons: [] }
      : told.stuck
        ? {
            state: "not-yet",
            text: "Do not trust yet",
            reasons: [
              "the chains disagree: R-hat is 1.10 for s_17, 1.01 or less is wanted",
              "the smallest effective sample is 205, 400 or more are wanted",
            ],
          }
        : { state: "yes", text: "Trust these draws", reasons: [] },
    verdict: told.running
      ? [
          plain(
            `${kept.toLocaleString("en")} of ${inputs.draws.toLocaleString("en")} draws of each chain so far.`,
          ),
        ]
      : told.stuck
        ? [
            plain(
              "Two of 64 chains sit elsewhere: what follows says more of where they began than of the posterior.",
            ),
          ]
        : [
            plain("Chains agree (worst R-hat 1.006), and the smallest effective sample is "),
            strong("3,418"),
            plain(" of 64,000 draws. Male names lie "),
            { text: `closer to “${inputs.label}”`, role: "group2" },
            plain(" than female names, by 0.0042 (0.0026 to 0.0058)."),
          ],
    facts: [
      `${kept.toLocaleString("en")} draws per chain in ${run.seconds.toFixed(1)} s`,
      "acceptance 0.81",
      "0 divergences",
    ],
    quantities,
    worst_dimension: 17,
    dimensions: 100,
    oracle: words && !told.stuck ? "exact sampler agrees within 4 MCSE" : "",
    plane:
      kept > 0
        ? {
            axes: inputs.axes,
            axis_labels:
              inputs.axes === "pca"
                ? ["PC 1, 3.9 % of variance", "PC 2, 1.4 %"]
                : ["mean difference, 3.8 % of variance", "PC orthogonal to it, 1.4 %"],
            shares: [0.039, 0.014],
            extent: [-3.6, 3.6, -2.8, 2.8],
            outlines: [outline("negative", -0.75), outline("positive", 0.75)],
            words: words
              ? Object.entries(at).map(([word, [x, y]]) => {
                  const found = [...CLOSEST, ...FARTHEST].find((r) => r.word === word);
                  return {
                    word,
                    x,
                    y,
                    polarity: found?.polarity ?? null,
                    difference: found?.difference ?? null,
                  };
                })
              : [],
            warning:
              inputs.axes === "pca"
                ? "The draws are nearly round, so the PCA axes are close to arbitrary. The axis of the mean difference is more reliable."
                : "The two labels differ along one axis of 100: the plane shows 5 % of the variance.",
          }
        : null,
    words: words
      ? {
          lexicon: "Hu and Liu",
          total: 6789,
          unknown: 412,
          closest: CLOSEST,
          farthest: FARTHEST,
          picked:
            [...CLOSEST, ...FARTHEST].find((r) => r.word === inputs.word) ??
            (inputs.word ? row(inputs.word, 0.4987, 2211, null, 0.4) : null),
          neutral: 0.5,
          distance_label: "angle, arccos/π",
          interval_label: "95 % Monte Carlo interval over the draws",
        }
      : null,
    groups: words ? groupsOf() : null,
    groups_reason: words ? "" : "The two groups are compared when the run ends.",
    correlations: words
      ? [
          { label: "positive", pearson: -0.41, low: -0.43, high: -0.39, n: 6377 },
          { label: "negative", pearson: 0.38, low: 0.36, high: 0.4, n: 6377 },
        ]
      : [],
    reviews: [],
    reviews_reason:
      "No reviews here: give the folder of the Large Movie Review data to see those that lie nearest.",
    caveat:
      "The prior is an assumption: another one moves every distance. Distances are averages over draws.",
    footer: [`seed ${inputs.seed}`, "cosine distance, arccos/π", "imdb-sentiment 3f2a"],
  };
}

/** Names of groups that are compared at first. */
export const LISTS = [
  { name: "female names", terms: ["mary", "anna", "<b>emma</b>"], kind: "groups" as const },
  { name: "male names", terms: ["john", "peter", "james"], kind: "groups" as const },
];

export function initialState(inputs: Partial<Inputs> = {}): PosteriorBenchState {
  return {
    ...DEFAULTS,
    subject: "imdb-sentiment",
    lists: LISTS,
    ...inputs,
    answer: {
      generation: 0,
      state: "empty",
      message: null,
      picture: null,
      unknown: null,
      dropped: [],
    },
    labels: ["negative", "positive"],
    priors: PRIORS,
    traces: { run: 0, version: 0, label: "", quantities: [] },
    clouds: { run: 0, version: 0, axes: "difference", clouds: [] },
    marks: [],
    generation: 0,
    command: { id: 0, name: "", args: {} },
    subjects: [
      {
        name: "imdb-sentiment",
        about: "bundled subject, for teaching and tests",
        kind: "classifier",
        replicates: 1,
      },
      {
        name: "logistic observer",
        about: "its posterior is known",
        kind: "classifier",
        replicates: 1,
      },
    ],
    progress: { done: 0, total: 0, message: "", seconds_left: null },
    reply: { id: 0, ok: true, message: "" },
  };
}

/** What Python has told after so many steps: answer, traces and clouds. */
export function toldAfter(inputs: Inputs, told: Told, generation = 0, points?: number) {
  const answer: Answer = {
    generation,
    state: "ready",
    message: null,
    picture: pictureOf(inputs, told),
    unknown: null,
    dropped: told.running
      ? []
      : ["a+", "abound", "accolade"].map((term) => ({
          term,
          role: "lexicon",
          reason: "not in the vocabulary",
          suggestions: [],
        })),
  };
  return { answer, traces: tracesOf(inputs, told), clouds: cloudsOf(inputs, told, points) };
}

export const STEPS = (inputs: Inputs) => WARMUP + inputs.draws;
