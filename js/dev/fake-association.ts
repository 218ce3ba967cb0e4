/** Answers of the association bench as Python gives them, made up. */

import { KEYS, type Key, LABELS } from "../src/benches/association/marks";
import { listsOf } from "../src/benches/association/parts";
import { DEFAULTS, type Inputs } from "../src/benches/association/store";
import type {
  Answer,
  AssociationBenchState,
  Estimate,
  Picture,
  Posterior,
  Side,
  Simulation,
  Weat,
  WordList,
} from "../src/generated/association";
import { gauss, generator } from "./random";

const STEREOTYPES: Record<string, string[]> = {
  Judaism: ["greedy", "cheap", "hairy", "liberal"],
  Christianity: ["judgemental", "conservative", "familial"],
  Islam: ["violent", "terrorist", "dirty", "uneducated"],
};

const HUMAN = [
  ...[
    "wear",
    "walk",
    "talk",
    "visitor",
    "toy",
    "tissue",
    "throw",
    "speak",
    "sleep",
    "eye",
    "enjoy",
  ],
  ...[
    "blogger",
    "character",
    "candidate",
    "breakfast",
    "supper",
    "dinner",
    "eat",
    "drink",
    "carry",
  ],
  ...["run", "cast", "ask", "awake", "ear", "nose", "lunch"],
];

const NEUTRAL = ["liquor", "ballpark", "glitchy", "dallas", "rip", "called"];

/** The paper's religion lists, with as many neutral words as are asked for. */
export function religions(neutral = 242): WordList[] {
  const groups: Record<string, string[]> = {
    Judaism: ["judaism", "jew", "synagogue", "torah", "rabbi"],
    Christianity: ["christianity", "christian", "church", "bible", "priest"],
    Islam: ["islam", "muslim", "mosque", "quran", "imam"],
  };
  const words = Array.from({ length: neutral }, (_, i) => NEUTRAL[i] ?? `neutral ${i + 1}`);
  return [
    ...Object.entries(groups).map(([name, terms]) => ({ name, terms, kind: "groups" as const })),
    ...Object.entries(STEREOTYPES).map(([name, terms]) => ({
      name: `${name} stereotype`,
      terms,
      kind: "attributes" as const,
      of: [name],
    })),
    { name: "human", terms: HUMAN, kind: "controls" },
    { name: "neutral", terms: words, kind: "controls" },
  ];
}

export function initialState(inputs: Partial<Inputs> = {}): AssociationBenchState {
  return {
    ...DEFAULTS,
    subject: "wiki-bootstraps",
    lists: religions(),
    generation: 0,
    command: { id: 0, name: "", args: {} },
    subjects: [
      {
        name: "wiki-bootstraps",
        about: "bundled subject, for teaching and tests",
        kind: "ensemble",
        replicates: 32,
      },
      { name: "reddit word2vec", about: "one embedding", kind: "embedding", replicates: 1 },
    ],
    answer: { ...NOTHING },
    progress: { done: 0, total: 0, message: "", seconds_left: null },
    reply: { id: 0, ok: true, message: "" },
    marks: [],
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
  const base = { ...NOTHING, generation, picture: last };
  const groups = listsOf(inputs.lists, "groups");
  if (groups.every((g) => g.terms.length === 0)) {
    const text = "Give each group its words, or load lists from the catalogue.";
    return { ...base, message: { title: "Choose groups to ask about", text, actions: [] } };
  }
  const short = groups.find((g) => g.terms.length < 2);
  if (short) {
    return {
      ...base,
      state: "error",
      message: {
        title: `${short.name} has one word`,
        text: "Nothing can be said about a group from a single word. Add another word to it.",
        actions: [],
      },
    };
  }
  return { ...base, state: "ready", picture: pictureOf(inputs) };
}

const MEAN: Record<Key, number> = { associated: 0.83, different: 0.88, human: 0.91, none: 0.95 };

export function pictureOf(inputs: Inputs): Picture {
  const before = sideOf(inputs, 0);
  const after = inputs.debiasing === "none" ? null : sideOf(inputs, 1);
  const groups = listsOf(inputs.lists, "groups");
  const all = [before, ...(after ? [after] : [])].flatMap((s) => s.distances.flat(2));
  return {
    protected: groups.flatMap(({ name, terms }) => terms.map((word) => ({ word, group: name }))),
    terms: termsOf(inputs.lists).map(({ term, list }) => ({ term, list })),
    axis: [Math.min(...all) - 0.02, Math.max(...all) + 0.02],
    posterior_axis: [0.62, 1.12],
    before,
    after,
    after_reason: "",
    verdict: [
      { text: "A word’s own stereotypes are closer than neutral words by ", role: "plain" },
      { text: "0.119", role: "strong" },
      {
        text: " (0.00 to 0.24). There is ",
        role: "plain",
      },
      { text: "no clear difference", role: "strong" },
      { text: " from the other groups’ stereotypes: 0.052 (−0.02 to 0.13).", role: "plain" },
    ],
    warning: [
      { text: "The models disagree: ", role: "strong" },
      {
        text: "the paper’s model would be more certain, its intervals are 2.3 times narrower.",
        role: "plain",
      },
    ],
    caveat: "The verdict uses the crossed model, 89 %.",
    coefficient_warning:
      "Only the priors tell a word’s own mean from the mean of a connection: read contrasts.",
    simulation: simulate(inputs),
    check: { state: "none", text: "", rhat: null, ess: null },
    scores: { state: "none", text: "", rows: [] },
    replicates: inputs.subject === "wiki-bootstraps" ? 32 : 1,
    interval_level: inputs.level,
    footer: ["seed 1", `${before.total} distances kept, 0 dropped`, "exact sampler 22 ms"],
  };
}

const termsOf = (lists: readonly WordList[]) =>
  lists
    .filter((list) => list.kind !== "groups")
    .flatMap((list) => list.terms.map((term) => ({ term, list: list.name, of: list })));

function connectionOf(list: WordList, group: string): Key {
  if (list.kind === "controls") return /human/.test(list.name) ? "human" : "none";
  return list.of?.includes(group) ? "associated" : "different";
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const round = (v: number) => Math.round(v * 1e5) / 1e5;

function sideOf(inputs: Inputs, which: 0 | 1): Side {
  const random = generator(7);
  const groups = listsOf(inputs.lists, "groups");
  const words = groups.flatMap(({ name, terms }) => terms.map((word) => ({ word, group: name })));
  const terms = termsOf(inputs.lists);
  const shift = terms.map(() => 0.14 * gauss(random));
  const own = words.map(() => 0.03 * gauss(random));
  const distances = words.map(() => KEYS.map(() => [] as number[]));
  const indices = words.map(() => KEYS.map(() => [] as number[]));
  words.forEach(({ group }, w) => {
    terms.forEach(({ of }, t) => {
      const key = connectionOf(of, group);
      const c = KEYS.indexOf(key);
      const moved = which === 1 ? (key === "none" ? -0.02 : 0.02) : 0;
      distances[w]![c]!.push(round(MEAN[key] + moved + own[w]! + shift[t]! + 0.13 * gauss(random)));
      indices[w]![c]!.push(t);
    });
  });
  const means = distances.map((lanes) => lanes.map((v) => (v.length ? round(mean(v)) : null)));
  const macs = KEYS.map((_, c) => {
    const there = means.map((m) => m[c]).filter((v): v is number => typeof v === "number");
    return there.length ? round(mean(there)) : null;
  });
  return {
    name: which === 0 ? inputs.subject : `${inputs.subject}, ${inputs.debiasing} debiased`,
    connections: KEYS.map((key, c) => ({
      key,
      label: LABELS[key],
      distances: distances.reduce((sum, lanes) => sum + lanes[c]!.length, 0),
      mac: macs[c]!,
    })),
    distances,
    terms: indices,
    means,
    total: distances.flat(2).length,
    mac: macs[0]!,
    posteriors: (["crossed", "pooled", "per-word"] as const).map((model) =>
      posteriorOf(model, distances, macs),
    ),
    weat: weatOf(inputs, words, distances, indices, terms),
    weat_reason: groups.length < 2 ? "WEAT compares two groups; there is one." : "",
  };
}

function posteriorOf(
  model: Posterior["model"],
  distances: number[][][],
  macs: (number | null)[],
): Posterior {
  const wide = model === "crossed" ? 1 : model === "pooled" ? 0.45 : 0.8;
  const around = (value: number, half: number): Estimate => ({
    value: round(value),
    low: round(value - half),
    high: round(value + half),
  });
  const contrast = (first: Key, second: Key, label: string, half: number) => {
    const [a, b] = [macs[KEYS.indexOf(first)], macs[KEYS.indexOf(second)]];
    return { first, second, label, ...around((a ?? 0) - (b ?? 0), half * wide) };
  };
  return {
    model,
    words: distances.map((lanes) =>
      lanes.map((v) => (v.length ? around(mean(v), (wide * 0.32) / Math.sqrt(v.length)) : null)),
    ),
    contrasts: [
      contrast("different", "associated", "different − associated", 0.075),
      contrast("human", "associated", "human − associated", 0.13),
      contrast("none", "associated", "none − associated", 0.12),
    ],
    coefficients: KEYS.map((key, c) => ({ key, ...around((macs[c] ?? 1) - 1, 0.3) })),
    milliseconds: 22,
  };
}

function weatOf(
  inputs: Inputs,
  words: { word: string; group: string }[],
  distances: number[][][],
  indices: number[][][],
  terms: { list: string }[],
): Weat | null {
  const names = listsOf(inputs.lists, "groups").map((g) => g.name);
  const lists = listsOf(inputs.lists, "stereotypes").map((l) => l.name);
  const [x, y] = inputs.weat_groups.length === 2 ? inputs.weat_groups : names.slice(-2);
  const [a, b] = inputs.weat_attributes.length === 2 ? inputs.weat_attributes : lists.slice(-2);
  if (!x || !y || !a || !b) return null;
  const s = words.flatMap(({ group }, w) => {
    if (group !== x && group !== y) return [];
    const to = (list: string) =>
      mean(
        distances[w]!.flatMap((lane, c) =>
          lane.filter((_, i) => terms[indices[w]![c]![i]!]!.list === list),
        ).map((d) => 1 - d),
      );
    return [{ first: group === x, s: to(a) - to(b) }];
  });
  const values = s.map((v) => v.s);
  const n = s.filter((v) => v.first).length;
  const difference = (chosen: ReadonlySet<number>) =>
    mean(values.filter((_, i) => chosen.has(i))) - mean(values.filter((_, i) => !chosen.has(i)));
  const observed = difference(new Set(s.flatMap((v, i) => (v.first ? [i] : []))));
  const splits = combinations(values.length, Math.min(n, 6)).map((c) => difference(new Set(c)));
  const reach = {
    greater: (v: number) => v >= observed - 1e-12,
    less: (v: number) => v <= observed + 1e-12,
    "two-sided": (v: number) => Math.abs(v) >= Math.abs(observed) - 1e-12,
  }[inputs.alternative];
  const exceed = splits.filter(reach).length;
  const all = mean(values);
  const sd = Math.sqrt(
    values.reduce((sum, v) => sum + (v - all) ** 2, 0) / (values.length - inputs.ddof),
  );
  const N = values.length;
  const { edges, counts } = histogram(splits, 19);
  const random = generator(3);
  const size = observed / sd;
  return {
    groups: [x, y],
    attributes: [a, b],
    statistic: observed,
    effect_size: size,
    low: size - 0.7,
    high: Math.min(size + 0.4, 1.88),
    ceiling: 2 * Math.sqrt((N - inputs.ddof) / N),
    ddof: inputs.ddof,
    p: exceed / splits.length,
    exceed,
    partitions: splits.length,
    exact: true,
    null_edges: edges,
    null_counts: counts,
    replicates:
      inputs.subject === "wiki-bootstraps" && inputs.replicate < 0
        ? Array.from({ length: 32 }, () => Math.min(1.85, size + 0.2 * gauss(random)))
        : [],
  };
}

function combinations(n: number, k: number): number[][] {
  const found: number[][] = [];
  const add = (from: number, chosen: number[]) => {
    if (chosen.length === k) return void found.push(chosen);
    for (let i = from; i < n; i++) add(i + 1, [...chosen, i]);
  };
  add(0, []);
  return found;
}

function histogram(values: number[], bins: number, reach = Math.max(...values.map(Math.abs))) {
  const edges = Array.from({ length: bins + 1 }, (_, i) => -reach + (2 * reach * i) / bins);
  const counts = new Array<number>(bins).fill(0);
  for (const v of values) {
    const bin = Math.floor(((v + reach) / (2 * reach)) * bins);
    counts[Math.min(bins - 1, Math.max(0, bin))]! += 1;
  }
  return { edges, counts };
}

function simulate({ simulation, ddof }: Inputs): Simulation {
  const { means, sd, words, attributes } = simulation;
  const random = generator(5);
  const draw = (m: number) => m + (sd / Math.sqrt(attributes)) * gauss(random);
  const found = Array.from({ length: 2000 }, () => {
    const s = Array.from({ length: 2 * words }, (_, i) =>
      i < words ? draw(means[0]!) - draw(means[1]!) : draw(means[2]!) - draw(means[3]!),
    );
    const all = mean(s);
    const spread = Math.sqrt(s.reduce((t, v) => t + (v - all) ** 2, 0) / (s.length - ddof));
    return (mean(s.slice(0, words)) - mean(s.slice(words))) / spread;
  }).sort((a, b) => a - b);
  const ceiling = 2 * Math.sqrt((2 * words - ddof) / (2 * words));
  return {
    ...histogram(found, 41, 2),
    mean: mean(found),
    low: found[50]!,
    high: found[1949]!,
    ceiling,
    share_beyond: found.filter((v) => Math.abs(v) > 1).length / 2000,
    text: "Without any difference in means, half of the draws are beyond 1: large numbers are cheap here.",
  };
}
