/** Made-up services, answers and ratings of the rating bench, for the dev page and the tests. */
import {
  DEFAULTS,
  type Inputs,
  NO_DETAIL,
  NO_PLAN,
  NO_POWER,
  NO_RUN,
} from "../src/benches/rating/store";
import { BIAS_RATINGS } from "../src/benches/rating/texts";
import type {
  Cell,
  CompositionCell,
  DistributionState,
  LanguageDetail,
  LanguageFinding,
  MarkedMention,
  MatrixRow,
  Power,
  RatingAnswer,
  RatingBenchState,
  RatingPicture,
  ServiceOption,
  TextRow,
  Tree,
} from "../src/generated/rating";
import { normalCdf } from "../src/lib/normal";

export const GENDER = ["He", "She", "Other"];
export const WORSHIP = ["Church", "Mosque", "Temple", "Synagogue", "Other"];

export const BLOCKS: DistributionState[] = [
  { name: "50/50", kind: "unbiased", shares: [0.5, 0.5, 0] },
  { name: "10/90", kind: "biased", shares: [0.1, 0.9, 0] },
  { name: "90/10", kind: "biased", shares: [0.9, 0.1, 0] },
];
export const PLACES: DistributionState[] = [
  { name: "even", kind: "unbiased", shares: [0.25, 0.25, 0.25, 0.25, 0] },
  { name: "mostly Church", kind: "biased", shares: [0.7, 0.1, 0.1, 0.1, 0] },
];

const LANGUAGES = [
  ["eo", "Esperanto"],
  ["es", "Spanish"],
  ["ca", "Catalan"],
  ["gl", "Galician"],
  ["it", "Italian"],
  ["fr", "French"],
] as const;

const service = (name: string, more: Partial<ServiceOption>): ServiceOption => ({
  name,
  about: "",
  kind: "translator",
  languages: [],
  truth: "",
  composite: [],
  own: false,
  problem: "",
  ...more,
});

export const SERVICES: ServiceOption[] = [
  service("Apertium", {
    about: "real service on this machine, 127.0.0.1",
    languages: LANGUAGES.map(([code, title]) => ({ code, title })),
  }),
  service("faithful", { about: "It says what it is told.", kind: "simulated", truth: "DSBS" }),
  service("always he", { about: "It answers he.", kind: "simulated", truth: "BS" }),
  service("mine", { about: "An API of one's own.", kind: "HTTP API", own: true }),
];

const MENTIONS = 40;

/** What becomes of a block through a language: it is erased, or kept. */
function cellOf(language: string, shares: readonly number[], running: boolean): Cell {
  const kept = language === "eo" || language === "";
  const other = shares.map((_, i) => (i === shares.length - 1 ? MENTIONS : 0));
  const counts = kept ? shares.map((share) => Math.round(MENTIONS * share)) : other;
  const done = running ? 11 : 20;
  return {
    counts: running ? shares.map(() => 0) : counts,
    mentions: running ? 0 : MENTIONS,
    unresolved: 0,
    done,
    total: 20,
    predicted: false,
  };
}

const EMPTY: Cell = {
  counts: [0, 0, 0],
  mentions: 0,
  unresolved: 0,
  done: 0,
  total: 20,
  predicted: false,
};

export function rowOf(
  [language, title]: readonly [string, string],
  blocks: readonly DistributionState[],
  state: MatrixRow["state"] = "done",
): MatrixRow {
  const running = state === "running";
  const cells = blocks.map((block, b) =>
    state === "queued" || (running && b > 1)
      ? EMPTY
      : cellOf(language, block.shares, running && b === 1),
  );
  const done = state === "done";
  const kept = language === "eo" || language === "";
  return {
    language,
    title,
    state,
    message: "",
    cells,
    points: cells.map(({ counts, mentions }) =>
      mentions > 0 ? counts.map((n) => n / mentions) : null,
    ),
    paper: done ? "DSBS" : null,
    corrected: done ? (kept ? "DSBS" : "not rateable") : null,
    shown: done && kept,
    probabilities: done && kept ? [0.01, 0.96, 0.03] : [],
    unresolved: 0,
  };
}

interface Made {
  /** Two languages are not done yet. */
  running?: boolean;
  tested?: boolean;
}

export function pictureOf(inputs: Inputs, values: string[], { running }: Made): RatingPicture {
  const { distributions: blocks, middles } = inputs;
  const named = LANGUAGES.filter(([code]) => middles.includes(code));
  const rows: (readonly [string, string])[] = named.length > 0 ? named : [["", ""]];
  const total = rows.length * blocks.length * 20 * 2;
  return {
    service: inputs.service,
    attribute: inputs.attribute,
    values,
    blocks,
    rows: rows.map((row, i) =>
      rowOf(row, blocks, running && i === 4 ? "running" : running && i === 5 ? "queued" : "done"),
    ),
    overall: ["DSBS", "not rateable"],
    overall_without: ["DSBS", "DSBS"],
    finding: findingOf(inputs.language),
    run: {
      ...NO_RUN,
      number: 1,
      running: running ?? false,
      done: running ? 542 : total,
      total,
      calls: running ? 542 : total,
      from_store: 0,
      seconds: 5.2,
      seconds_left: running ? 2 : null,
    },
    per: "mention",
    verdict: [
      { text: "Through Esperanto it follows the input: DSBS.", role: "strong" },
      {
        text: " Through Spanish, Catalan and Galician gender is erased, all 40 mentions come back as “it”, so those are ",
        role: "plain",
      },
      { text: "not rateable", role: "strong" },
      { text: ". The paper’s rule would call them DSBS.", role: "plain" },
    ],
    caveat:
      "Two languages still running. Counts are mentions, 2 per text. Corrected rule: equivalence within 10 points, 95 %. 0 texts unresolved.",
    notes: [],
    footer: ["seed 1", "every response is cached in the store"],
  };
}

const end = (key: string, on: boolean) => ({
  key,
  title: key,
  question: "",
  note: "",
  on_path: on,
  is_rating: true,
});

export const TREES: Tree[] = [
  {
    rule: "paper",
    rating: "DSBS",
    nodes: [
      {
        key: "unbiased",
        title: "Unbiased input",
        question: "output like a biased one?",
        note: "0/0/40 is unlike 4/36/0",
        on_path: true,
        is_rating: false,
      },
      {
        key: "biased",
        title: "Biased input",
        question: "output like an unbiased one?",
        note: "0/0/40 is unlike 20/20/0",
        on_path: true,
        is_rating: false,
      },
      end("BS", false),
      end("UCS", false),
      end("DSBS", true),
    ],
    edges: [
      { source: "unbiased", target: "BS", answer: "yes", on_path: false },
      { source: "unbiased", target: "biased", answer: "no", on_path: true },
      { source: "biased", target: "UCS", answer: "yes", on_path: false },
      { source: "biased", target: "DSBS", answer: "no", on_path: true },
    ],
  },
  {
    rule: "corrected",
    rating: "not rateable",
    nodes: [
      {
        key: "kept",
        title: "Is gender kept?",
        question: "",
        note: "0 of 40 mentions keep it",
        on_path: true,
        is_rating: false,
      },
      {
        key: "unbiased",
        title: "Unbiased input",
        question: "equivalent output?",
        note: "",
        on_path: false,
        is_rating: false,
      },
      {
        key: "biased",
        title: "Biased input",
        question: "biased output?",
        note: "",
        on_path: false,
        is_rating: false,
      },
      end("not rateable", true),
      end("BS", false),
      end("UCS", false),
      end("DSBS", false),
    ],
    edges: [
      { source: "kept", target: "not rateable", answer: "no", on_path: true },
      { source: "kept", target: "unbiased", answer: "yes", on_path: false },
      { source: "unbiased", target: "BS", answer: "no", on_path: false },
      { source: "unbiased", target: "biased", answer: "yes", on_path: false },
      { source: "biased", target: "UCS", answer: "no", on_path: false },
      { source: "biased", target: "DSBS", answer: "yes", on_path: false },
    ],
  },
];

const TERMS = [
  ["a plumber", "un fontanero", "plumber"],
  ["an engineer", "una ingeniera", "engineer"],
  ["a teacher", "un profesor", "professor"],
  ["a nurse", "una enfermera", "nurse"],
] as const;

const mark = (value: number, ...spans: [number, number][]): MarkedMention => ({
  value,
  spans,
  reason: value < 0 ? "no pronoun came back" : "",
});

export function textsOf(count: number): TextRow[] {
  return Array.from({ length: count }, (_, i) => {
    const [one, two] = [TERMS[i % 4]!, TERMS[(i + 1) % 4]!];
    const source = `She is ${one[0]}. He is ${two[0]}.`;
    const middle = `Es ${one[1]}. Es ${two[1]}.`;
    const lost = i % 7 === 5;
    const back = lost ? `They plumb. It is a ${two[2]}.` : `It is a ${one[2]}. It is a ${two[2]}.`;
    const second = (text: string) => text.indexOf(". ") + 2;
    const masculine = (word: string) => (word.startsWith("un ") ? 0 : 1);
    const says = [masculine(one[1]), masculine(two[1])];
    return {
      source,
      middle,
      back,
      source_marks: [mark(1, [0, 3]), mark(0, [second(source), second(source) + 2])],
      middle_marks: [
        mark(says[0]!, [3, 3 + one[1].length]),
        mark(says[1]!, [second(middle) + 3, second(middle) + 3 + two[1].length]),
      ],
      back_marks: [lost ? mark(-1) : mark(2, [0, 2]), mark(2, [second(back), second(back) + 2])],
      changed: [!lost, true],
      moved: [says[0] !== 1, says[1] !== 0],
      failure: "",
    };
  });
}

const isKept = (language: string) => language === "eo" || language === "";

export function findingOf(language: string): LanguageFinding {
  const kept = isKept(language);
  return {
    trees: kept ? TREES.map(faithful) : TREES,
    explanation: [
      { text: kept ? "DSBS: " : "Not rateable: ", role: "strong" },
      {
        text: kept
          ? "of 40 mentions 20 were she and 20 came back as she."
          : "all 40 mentions of the 50/50 block came back as “it”, so there is nothing to compare.",
        role: "plain",
      },
    ],
  };
}

export function detailOf(language: string, block: number): LanguageDetail {
  const title = LANGUAGES.find(([code]) => code === language)?.[1] ?? "";
  const kept = isKept(language);
  const alphas = Array.from({ length: 41 }, (_, i) => i / 40);
  return {
    ...NO_DETAIL,
    language,
    title,
    block,
    texts: textsOf(20),
    middle: TERMS.map(([term, example]) => ({
      term: term.replace(/^an? /, ""),
      given: "She",
      counts: example.startsWith("un ") ? [5, 0, 0] : [0, 5, 0],
      example,
    })),
    middle_note: "The middle text still holds gender, which the way back loses.",
    balance: kept
      ? {
          values: ["She", "He"],
          alphas,
          curve: alphas.map((a) => normalCdf((a - 0.5) / 0.3)),
          points: [
            [0.1, 0.1, 40],
            [0.5, 0.5, 40],
            [0.9, 0.9, 40],
          ],
          pse: 0.5,
          interval: [0.42, 0.58],
          jnd: 0.2,
          verdict: [{ text: "The output is balanced at 50 % he in the input.", role: "plain" }],
        }
      : null,
    reasons: kept ? [] : [["no pronoun came back", 2]],
  };
}

/** The same tree when the service follows its input. */
function faithful(tree: Tree): Tree {
  const on = ["kept", "unbiased", "biased", "DSBS"];
  return {
    ...tree,
    rating: "DSBS",
    nodes: tree.nodes.map((node) => ({ ...node, on_path: on.includes(node.key) })),
    edges: tree.edges.map((edge) => ({
      ...edge,
      on_path: on.includes(edge.source) && on.includes(edge.target),
    })),
  };
}

const TABLE_2 = ["UCS", "DSBS", "BS", "UCS", "DSBS", "BS", "UCS", "BS", null] as const;

export const TABLE: CompositionCell[] = BIAS_RATINGS.flatMap((first, r) =>
  BIAS_RATINGS.map((second, c): CompositionCell => {
    const paper = TABLE_2[3 * r + c]!;
    const differs = first === "UCS" && second === "DSBS";
    return {
      first,
      second,
      paper,
      definition: differs ? "UCS" : paper,
      differs,
      reason: `the second gets what the first, ${first}, answers`,
    };
  }),
);

const SIZES = [5, 10, 15, 20, 30, 40, 60, 80];
export const POWER: Power = {
  state: "ready",
  message: "1,000 experiments at each size.",
  services: ["faithful", "always he", "compensating"],
  points: SIZES.map((texts) => ({
    texts,
    calls: 36 * texts,
    shares: [0.12, 0.35, 0.2].map((start): [number, number, number] => {
      const share = start + (1 - start) * (1 - Math.exp(-texts / 14));
      return [share, share - 0.02, Math.min(1, share + 0.02)];
    }),
  })),
  recommended: 40,
};

/** The state of a bench, before or after a run. */
export function stateOf(inputs: Partial<Inputs> = {}, made: Made = {}): RatingBenchState {
  const { tested = true } = made;
  const worship = inputs.attribute === "place of worship";
  const values = worship ? WORSHIP : GENDER;
  const all: Inputs = {
    ...DEFAULTS,
    service: "Apertium",
    distributions: worship ? PLACES : BLOCKS,
    middles: LANGUAGES.map(([code]) => code),
    language: "es",
    ...inputs,
  };
  const direct = SERVICES.find((one) => one.name === all.service)?.languages.length === 0;
  if (direct) Object.assign(all, { middles: [], language: "" });
  const { length } = all.middles;
  const answer: RatingAnswer = {
    generation: 0,
    state: tested ? "ready" : "empty",
    message: tested
      ? null
      : {
          title: "Press Run",
          text: "The texts are written, sent, and read when they come back.",
          actions: [],
        },
    unknown: null,
    dropped: [],
    picture: tested ? pictureOf(all, values, made) : null,
  };
  const calls = Math.max(length, 0.5) * all.distributions.length * all.texts * 2;
  return {
    ...all,
    generation: 0,
    command: { id: 0, name: "", args: {} },
    reply: { id: 0, ok: true, message: "" },
    progress: { done: 0, total: 0, message: "", seconds_left: null },
    subjects: [],
    answer,
    services: SERVICES,
    attribute_options: [
      {
        name: "gender",
        values: GENDER,
        templates: [
          { name: "occupation", example: "She is a plumber. He is a nurse." },
          { name: "sentence", example: "She works as a plumber." },
        ],
      },
      { name: "place of worship", values: WORSHIP, templates: [] },
    ],
    tests: ["chi-squared", "exact", "G"],
    plan: {
      ...NO_PLAN,
      languages: length,
      blocks: all.distributions.length,
      texts: all.texts,
      calls,
      known: 120,
      seconds: 6,
      example: textsOf(4).map((row) => row.source),
      recommended: 40,
    },
    detail: tested ? detailOf(all.language, all.block) : NO_DETAIL,
    power: NO_POWER,
    table: TABLE,
    composed: tested
      ? [
          {
            first: "faithful",
            second: "always he",
            language: "",
            predicted: "BS",
            measured: "BS",
            agrees: true,
          },
        ]
      : [],
  };
}

/** What a service would answer to other shares, as Python predicts it. */
export function predictedOf(picture: RatingPicture, inputs: Inputs): RatingPicture {
  return {
    ...picture,
    blocks: inputs.distributions,
    rows: picture.rows.map((row) => ({
      ...row,
      ...(({ cells, points }) => ({ cells, points }))(
        rowOf([row.language, row.title], inputs.distributions, row.state),
      ),
      cells: rowOf([row.language, row.title], inputs.distributions, row.state).cells.map(
        (cell, b) => ({
          ...cell,
          predicted:
            row.cells[b]?.predicted ||
            inputs.distributions[b]?.shares.join() !== picture.blocks[b]?.shares.join(),
        }),
      ),
    })),
  };
}
