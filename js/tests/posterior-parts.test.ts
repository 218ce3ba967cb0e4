import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/posterior.json";
import { cloudPath, cloudPixels } from "../src/benches/posterior/cloud";
import { columnsOf } from "../src/benches/posterior/Figure";
import { chainMeans, colours, rgb, spreadOf } from "../src/benches/posterior/heat";
import { barPath, linePath, rhatHeight, rhatTop } from "../src/benches/posterior/lines";
import {
  frameOf,
  outlinePath,
  placedWords,
  planeGeometry,
  wordAt,
  wordToward,
} from "../src/benches/posterior/plane";
import type { View } from "../src/benches/posterior/store";
import { heatPlace, placeAt, placeToward } from "../src/benches/posterior/TracePlot";
import {
  askText,
  placeText,
  readDimensions,
  significant,
  subscript,
} from "../src/benches/posterior/texts";
import { rowAt, wordRows } from "../src/benches/posterior/wordRows";
import type { PosteriorBenchState, Trace, WordRow, Words } from "../src/generated/posterior";
import { DEFAULTS, NO_PLANE, NO_QUANTITY, NO_TRACE } from "../src/generated/posterior";
import { rowOf, sizes, unpack } from "../src/lib/packed";
import { linear } from "../src/lib/scale";
import { textWidth } from "../src/lib/textwidth";
import { sortedBy } from "../src/lib/ui/SortableTable";
import { pack } from "./pack";

const { priors } = recorded<PosteriorBenchState>(scenarios)();

const close = (a: number, b: number, within = 1e-6) =>
  assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);

test("columns of an exported picture are as wide as their widest text", () => {
  const of = (label: string, n: number, mcse: number) => ({
    trace: NO_TRACE,
    quantity: { ...NO_QUANTITY, label, rhat: 1.001, ess_bulk: n, ess_tail: n, mcse },
  });
  const columns = columnsOf([of("logit of p(negative | s)", 26_344, 0.00093), of("|s|²", 9, 0.1)]);
  const [rhat, bulk, tail, mcse] = columns.right as [number, number, number, number];
  assert.ok(columns.left > textWidth("logit of p(negative | s)", 12, true));
  assert.ok(tail - bulk > textWidth("26,344", 12, true));
  assert.ok(mcse - tail > textWidth("0.00093", 12, true));
  assert.ok(columns.plot > 200 && columns.lags > columns.left + columns.plot);
  assert.ok(rhat > columns.rhat);
});

test("a packed array is read as it was written, to half a step; no number stays none", () => {
  const values = [-1.5, 0, 0.25, Number.NaN, 3.75, 3.75];
  const packed = pack(values, [2, 3]);
  const read = unpack(packed);
  assert.deepEqual(sizes(read), [2, 3]);
  values.forEach((v, i) => {
    if (Number.isNaN(v)) assert.ok(Number.isNaN(read.values[i]));
    else close(read.values[i]!, v, 5.25 / 65534);
  });
  assert.deepEqual([...rowOf(read, 1)].slice(1), [3.75, 3.75]);
  assert.equal(unpack(packed), read, "the same record is read once");
});

test("nothing packed is no numbers", () => {
  assert.deepEqual(sizes(unpack(null)), [0, 0]);
  assert.deepEqual(sizes(unpack({ shape: [0, 0], low: 0, high: 1, data: "" })), [0, 0]);
});

const points = (path: string) =>
  [...path.matchAll(/([ML])(-?[\d.]+) (-?[\d.]+)/g)].map(([, pen, x, y]) => ({
    pen,
    x: Number(x),
    y: Number(y),
  }));

test("a trace with room for each draw is drawn point by point, with gaps", () => {
  const x = linear([0, 3], [0, 300]);
  const y = linear([0, 1], [100, 0]);
  const path = points(linePath(Float32Array.of(0, 1, Number.NaN, 0.5), x, y));
  assert.deepEqual(path, [
    { pen: "M", x: 0, y: 100 },
    { pen: "L", x: 100, y: 0 },
    { pen: "M", x: 300, y: 50 },
  ]);
});

test("a long trace keeps every peak: one draw in ten thousand is seen", () => {
  const values = new Float32Array(10_000).fill(0.5);
  values[7777] = 1;
  values[3333] = 0;
  const x = linear([0, 9999], [0, 200]);
  const y = linear([0, 1], [100, 0]);
  const path = points(linePath(values, x, y));
  assert.ok(path.length < 1000, "as few points as pixels need");
  assert.equal(Math.min(...path.map((p) => p.y)), 0);
  assert.equal(Math.max(...path.map((p) => p.y)), 100);
  const peak = path.find((p) => p.y === 0)!;
  close(peak.x, x(7777), 2);
});

test("a line begins at its first step", () => {
  const x = linear([0, 10], [0, 100]);
  const [first] = points(linePath(Float32Array.of(1, 2), x, linear([0, 2], [20, 0]), 4));
  assert.equal(first!.x, 40);
});

test("bars stand on 0; R-hat 1 is at the bottom and its highest at the top", () => {
  const bars = barPath([1, -0.1], linear([0, 1], [0, 10]), linear([-1, 1], [20, 0]));
  assert.equal(bars, "M0 10V0M10 10V11");
  const top = rhatTop([1.4, 1.02, Number.NaN]);
  assert.equal(top, 1.4);
  assert.equal(rhatHeight(1, top), 0);
  assert.equal(rhatHeight(1.4, top), 1);
  assert.ok(rhatHeight(1.01, top) > 0.15, "1.01 stands clear of 1");
});

test("a chain that sits elsewhere has the full colour, the others are pale", () => {
  const [chains, blocks] = [20, 30];
  const values = Float32Array.from({ length: chains * blocks }, (_, i) => {
    const noise = Math.sin(i * 12.9898) * 0.4;
    return Math.floor(i / blocks) === 7 ? 9 + noise : noise;
  });
  const spread = spreadOf(values);
  const ramp = { below: [0, 255, 0], middle: [0, 0, 0], above: [255, 0, 0] } as const;
  const pixels = colours(values, spread, ramp);
  const mean = (chain: number, colour: number) => {
    let sum = 0;
    for (let b = 0; b < blocks; b++) sum += pixels[4 * (chain * blocks + b) + colour]!;
    return sum / blocks;
  };
  assert.equal(mean(7, 0), 255);
  for (let chain = 0; chain < chains; chain++) if (chain !== 7) assert.ok(mean(chain, 0) < 60);
  const means = chainMeans(unpack(pack(values, [chains, blocks])));
  assert.equal(means.indexOf(Math.max(...means)), 7);
});

test("colours: no number is see-through, values alike are in the middle", () => {
  const ramp = { below: [1, 1, 1], middle: [9, 9, 9], above: [1, 1, 1] } as const;
  const pixels = colours([Number.NaN, 2, 2], spreadOf([2, 2]), ramp);
  assert.deepEqual([...pixels], [0, 0, 0, 0, 9, 9, 9, 255, 9, 9, 9, 255]);
  assert.deepEqual(rgb(" #8a3f7b"), [138, 63, 123]);
  assert.deepEqual(rgb("#fff"), [255, 255, 255]);
});

const red = [200, 0, 0] as const;
const blue = [0, 0, 200] as const;
const axis = linear([0, 10], [0, 10]);

test("draws are painted where they are, mixed by how many, whichever label comes first", () => {
  const one = { label: "a", points: pack([5, 5, 5, 5, 5, 5, 2, 2], [4, 2]) };
  const two = { label: "b", points: pack([5, 5, 8, 8], [2, 2]) };
  const tints = [
    { cloud: one, colour: red },
    { cloud: two, colour: blue },
  ];
  const pixels = cloudPixels(tints, axis, axis, 10, 10, 0.5);
  const other = cloudPixels([...tints].reverse(), axis, axis, 10, 10, 0.5);
  assert.deepEqual(pixels, other);
  const covered: number[] = [];
  for (let i = 0; i < 100; i++) if (pixels[4 * i + 3]! > 0) covered.push(i);
  assert.equal(covered.length, 3, "three places");
  const at = covered.map((i) => [...pixels.subarray(4 * i, 4 * i + 4)]);
  const mixed = at.find(([r, , b]) => r! > 0 && b! > 0)!;
  assert.deepEqual(mixed.slice(0, 3), [150, 0, 50], "three of one to one of the other");
  const alone = at.filter((p) => p !== mixed);
  for (const pixel of alone) assert.ok(mixed[3]! > pixel[3]!, "a crowd is stronger");
});

test("draws outside the frame and draws that are no numbers are left out", () => {
  const cloud = { label: "a", points: pack([-5, 5, 5, 50, Number.NaN, 1, 5, 5], [4, 2]) };
  const pixels = cloudPixels([{ cloud, colour: red }], axis, axis, 10, 10, 1);
  let covered = 0;
  for (let i = 0; i < 100; i++) if (pixels[4 * i + 3]! > 0) covered++;
  assert.equal(covered, 4, "one draw of two by two pixels");
  assert.equal(cloudPath(cloud, axis, axis).split("M").length - 1, 1);
});

const word = (name: string, x: number, y: number) => ({
  word: name,
  x,
  y,
  polarity: null,
  difference: null,
});

test("the plane has one scale; a word near by widens it, one far away stands at its edge", () => {
  const plane = {
    extent: [-1, 1, -1, 1] as [number, number, number, number],
    words: [word("near", 0.2, -1.5), word("far", 8, 0)],
  };
  const [x0, x1, y0, y1] = frameOf(plane);
  assert.deepEqual([x0, x1, y1], [-1, 1, 1]);
  assert.ok(y0 < -1.5);
  const g = planeGeometry(400, 300, plane);
  close(g.x(1) - g.x(0), g.y(0) - g.y(1), 1e-9);
  const placed = placedWords({ ...NO_PLANE, ...plane }, g);
  const [near, far] = placed;
  assert.deepEqual([near!.beyond, near!.at], [null, [g.x(0.2), g.y(-1.5)]]);
  assert.ok(Math.abs(far!.beyond!) < 0.2, "it points to the right");
  close(far!.at[0], 392);
  assert.equal(wordAt(placed, g.x(0.2) + 4, g.y(-1.5)), "near");
  assert.equal(wordAt(placed, g.x(0.2) + 40, g.y(-1.5)), null);
});

test("arrows lead to the nearest word in their direction", () => {
  const plane = {
    extent: [-1, 1, -1, 1] as [number, number, number, number],
    words: [
      word("middle", 0, 0),
      word("right", 0.5, 0.1),
      word("further", 0.9, 0),
      word("up", 0.1, 0.6),
    ],
  };
  const g = planeGeometry(300, 300, plane);
  const words = placedWords({ ...NO_PLANE, ...plane }, g);
  assert.equal(wordToward(words, null, "ArrowRight"), "middle");
  assert.equal(wordToward(words, "middle", "ArrowRight"), "right");
  assert.equal(wordToward(words, "right", "ArrowRight"), "further");
  assert.equal(wordToward(words, "middle", "ArrowUp"), "up");
  assert.equal(wordToward(words, "middle", "ArrowLeft"), "middle", "nothing there");
  assert.equal(wordToward(words, "middle", "a"), null);
});

test("an outline is the ellipse of its half-axes", () => {
  const g = planeGeometry(300, 300, { extent: [-4, 4, -4, 4], words: [] });
  const outline = {
    label: "a",
    exact: true,
    centre: [0.5, 0] as [number, number],
    axes: [
      [1, 0],
      [0, 0.5],
    ] as [[number, number], [number, number]],
  };
  const path = points(outlinePath(outline, 2, g));
  for (const { x, y } of path) {
    const [u, v] = [(g.x.invert(x) - 0.5) / 2, g.y.invert(y) / 1];
    close(u * u + v * v, 1, 0.02);
  }
});

const row = (name: string, distance: number, rank: number): WordRow => ({
  word: name,
  distance,
  low: distance - 0.01,
  high: distance + 0.01,
  rank,
  polarity: null,
  difference: null,
});
const WORDS: Words = {
  lexicon: "",
  total: 4,
  unknown: 0,
  closest: [row("a", 0.4, 1)],
  farthest: [row("z", 0.45, 4)],
  picked: null,
  neutral: 0.5,
  distance_label: "",
  interval_label: "",
};

test("rows keep their places when a word is picked", () => {
  const before = wordRows(WORDS, 1, false);
  const after = wordRows({ ...WORDS, picked: row("m", 0.43, 2) }, 1, false);
  assert.equal(before.height, after.height);
  const top = (rows: typeof before, name: string) => rows.rows.find((r) => r.name === name)?.y;
  assert.equal(top(before, "z"), top(after, "z"));
  assert.ok(top(after, "a")! < top(after, "m")! && top(after, "m")! < top(after, "z")!);
  assert.equal(rowAt(after, top(after, "m")! + 5)?.name, "m");
  const again = wordRows({ ...WORDS, picked: WORDS.closest[0]! }, 1, false);
  assert.equal(again.rows.length, 2, "a word that is listed is not listed twice");
});

const trace: Trace = {
  ...NO_TRACE,
  name: "logit",
  label: "logit",
  warmup: 2,
  lines: pack([0, 0, 1, 1, 9, 9, 8, 8], [2, 4]),
  strips: pack([1, 3, 8, 8], [2, 2]),
  low: 0,
  high: 10,
};
const dimension: Trace = {
  ...trace,
  name: "s_3",
  label: "s_3, worst of 9",
  warmup: 0,
  lines: pack([1, 1, 8, 8], [2, 2]),
};
const g = { width: 300, height: 60, room: 4, warmup: 2 };

test("the nearest chain and draw are pointed at", () => {
  assert.deepEqual(placeAt(trace, "lines", g, 1, 300, 50), { chain: 0, column: 3 });
  assert.deepEqual(placeAt(trace, "lines", g, 1, 0, 5), { chain: 1, column: 0 });
  assert.deepEqual(placeAt(dimension, "lines", g, 1, 0, 5), { chain: 1, column: 2 });
  assert.deepEqual(placeAt(trace, "all", g, 1, 1, 59), { chain: 1, column: 0 });
  assert.equal(placeAt(NO_TRACE, "lines", g, 1, 0, 0), null);
  assert.equal(heatPlace(g, 0.5).blocks * 2, heatPlace(g, 1).blocks);
});

test("keys lead along a chain, to the next one, and stop at the ends", () => {
  const start = placeToward(trace, "lines", g, null, "ArrowRight");
  assert.deepEqual(start, { chain: 0, column: 0 });
  assert.deepEqual(placeToward(dimension, "lines", g, null, "ArrowRight"), { chain: 0, column: 2 });
  assert.deepEqual(placeToward(trace, "lines", g, start, "End"), { chain: 0, column: 3 });
  assert.deepEqual(placeToward(trace, "lines", g, start, "ArrowDown"), { chain: 1, column: 0 });
  assert.deepEqual(placeToward(trace, "lines", g, start, "ArrowLeft"), start);
  assert.equal(placeToward(trace, "lines", g, start, "x"), null);
});

test("a place tells its chain, its draw and its value", () => {
  const said = (t: Trace, chain: number, column: number, traced: "lines" | "all" = "lines") =>
    placeText(t, { chain, column }, traced, 2);
  assert.equal(said(trace, 1, 0), "chain 2, warm-up 1: logit 9.00");
  assert.equal(said(trace, 1, 3), "chain 2, draw 2: logit 8.00");
  assert.equal(said(dimension, 0, 3), "chain 1, draw 2: s₃ 1.00");
  assert.equal(said(dimension, 0, 1), "chain 1, warm-up 2: s₃ –");
  assert.equal(
    said(trace, 0, 1, "all"),
    "chain 1, block 2 of 2: logit 3.00; mean of the chain 2.00, of all chains 5.00",
  );
  assert.equal(said(trace, 7, 0), "");
});

test("dimensions are read as people type them", () => {
  assert.deepEqual(readDimensions("3, 17;s_4  3", 100, 6), { found: [3, 17, 4], problem: "" });
  assert.deepEqual(readDimensions("", 100, 6), { found: [], problem: "" });
  assert.match(readDimensions("100", 100, 6).problem, /last dimension is 99/);
  assert.match(readDimensions("1.5", 100, 6).problem, /whole numbers/);
  assert.match(readDimensions("-1", 100, 6).problem, /whole numbers/);
  assert.match(readDimensions("1 2 3", 100, 2).problem, /At most 2/);
});

test("numbers with three digits that count", () => {
  const texts = [0.015234, 12.345, 1234.5, 0.00038123, 0, null].map(significant);
  assert.deepEqual(texts, ["0.0152", "12.3", "1,235", "0.00038", "0.00000", "–"]);
  assert.equal(subscript("s_105"), "s₁₀₅");
  assert.equal(subscript("|s|²"), "|s|²");
});

test("what is asked is said in one sentence", () => {
  const asked = (inputs: Partial<View["inputs"]>, labels = ["negative", "positive"]) =>
    askText({ inputs: { ...DEFAULTS, ...inputs }, priors, labels } as unknown as View);
  assert.match(
    asked({}),
    /“positive”.*64 chains draw 1,000 stimuli.*prior p\(s\), fitted to its stimuli/,
  );
  assert.match(
    asked({ prior_width: 2, prior: "standard" }),
    /prior p\(s\), N\(0, I\), its spread times 2\.00\.$/,
  );
  assert.match(
    asked({ engine: "exact" }, []),
    /^64,000 stimuli s are drawn from p\(s \| positive\)/,
  );
});

test("rows are sorted by any column, those without a value last", () => {
  const rows = [{ n: 2 }, { n: null }, { n: 1 }];
  const column = { key: "n", title: "n", by: (r: { n: number | null }) => r.n, cell: () => "" };
  assert.deepEqual(
    sortedBy(rows, column, false).map((r) => r.n),
    [1, 2, null],
  );
  assert.deepEqual(
    sortedBy(rows, column, true).map((r) => r.n),
    [2, 1, null],
  );
});
