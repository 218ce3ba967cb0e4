import "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/occupations.json";
import { arrange, scrollTo, windowOf } from "../src/benches/occupations/arrange";
import { turned } from "../src/benches/occupations/Comparison";
import { edited, groupsOf, paired } from "../src/benches/occupations/Groups";
import { axisOf, geometry, MOST_PLOTS } from "../src/benches/occupations/layout";
import { pairCount, pairingText } from "../src/benches/occupations/pairing";
import { wordRow } from "../src/benches/occupations/Row";
import { nearest } from "../src/benches/occupations/Scatter";
import { orderText, rangeText, rowLabel, valueText } from "../src/benches/occupations/texts";
import type {
  Contrast,
  Measure,
  OccupationsBenchState,
  Picture,
} from "../src/generated/occupations";
import { type Dot, placeLabels, residuals } from "../src/lib/labels";
import { fit } from "../src/lib/textwidth";
import { gauss, generator } from "./random";

const stateOf = recorded<OccupationsBenchState>(scenarios);
const picture = stateOf().answer.picture!;
const contrast = picture.contrasts[0]!;
const LOOK = { measure: "pse", sort: "value", shown: "all", search: "" } as const;
const words = (rows: number[], of: Picture = picture) => rows.map((i) => of.words[i]!);

test("rows are sorted by what is chosen, each word once", () => {
  const all = [...picture.words].sort();
  for (const sort of ["value", "word", "width", "outside", "given"] as const) {
    const rows = arrange(picture, contrast, { ...LOOK, sort });
    assert.deepEqual(words(rows).sort(), all, sort);
  }
  const values = arrange(picture, contrast, LOOK).map((i) => contrast.pse.value[i]!);
  assert.deepEqual(
    values,
    [...values].sort((a, b) => b - a),
  );
  const widths = arrange(picture, contrast, { ...LOOK, sort: "width" }).map(
    (i) => contrast.pse.high[i]! - contrast.pse.low[i]!,
  );
  assert.deepEqual(
    widths,
    [...widths].sort((a, b) => a - b),
  );
  const outside = arrange(picture, contrast, { ...LOOK, sort: "outside" });
  const fewest = Math.min(...picture.outside.map((men) => men!));
  assert.equal(picture.outside[outside[0]!], fewest, "the fewest men");
  assert.deepEqual(words(arrange(picture, contrast, { ...LOOK, sort: "given" })), picture.words);
});

test("words without a number come last, whatever the order of the others", () => {
  const pse = { ...contrast.pse, value: contrast.pse.value.map((v, i) => (i === 0 ? null : v)) };
  const rows = arrange(picture, { ...contrast, pse }, LOOK);
  assert.equal(rows.at(-1), 0);
  assert.equal(rows.length, 30);
});

test("the filters share out all words; the search ignores case", () => {
  const counts = (["group_1", "group_2", "undecided"] as const).map(
    (shown) => arrange(picture, contrast, { ...LOOK, shown }).length,
  );
  assert.deepEqual(counts, contrast.lean_counts);
  const found = arrange(picture, contrast, { ...LOOK, search: " FIREF" });
  assert.deepEqual(words(found), ["firefighter"]);
  const untold = { ...contrast, lean: contrast.lean.map(() => 2) };
  assert.equal(arrange(picture, untold, { ...LOOK, shown: "undecided" }).length, 30);
});

test("of thousands of rows only those in sight are made", () => {
  const { first, last } = windowOf(40_000, 640, 20, 5000);
  assert.ok(first <= 2000 && last >= 2032 && last - first < 80);
  assert.deepEqual(windowOf(0, 640, 20, 10), { first: 0, last: 10 });
  const { first: from, last: to } = windowOf(99_999, 640, 20, 10);
  assert.ok(from <= to && to === 10, "scrolled beyond what a filter left");
  assert.equal(scrollTo(5, 400, 200, 20), 100);
  assert.equal(scrollTo(50, 400, 200, 20), 820);
  assert.equal(scrollTo(25, 400, 200, 20), 400);
});

test("the axis holds the neutral value and is one for all plots", () => {
  const far = (axis: [number, number]): Contrast => ({
    ...contrast,
    pse: { ...contrast.pse, axis },
  });
  const axis = axisOf([far([0.6, 0.9]), far([0.7, 1.2])], "pse", 300);
  assert.deepEqual(axis.domain, [0.45, 1.2]);
  assert.ok(axis.ticks.includes(0.5));
  assert.equal(axisOf([], "pse", 300).neutral, 0.5);
  assert.deepEqual(axisOf([], "pse", 300).domain, [0, 1], "labelled before any data");
  const jnd = axisOf([contrast], "jnd", 300);
  assert.equal(jnd.neutral, null);
  assert.equal(jnd.domain[0], 0);
});

test("plots and columns do not overlap at any width", () => {
  for (const width of [300, 360, 440, 600, 900])
    for (let plots = 1; plots <= (width < 440 ? 3 : MOST_PLOTS); plots++) {
      const contrasts = Array.from({ length: plots }, () => contrast);
      const rows = picture.words.map((_, i) => wordRow(picture, contrasts, "pse", i));
      const g = geometry(width, plots, rows, ["PSE", "95 %"]);
      let at = g.nameRight;
      for (const plot of g.plots) {
        assert.ok(plot.left > at && plot.right > plot.left, `${plots} plots in ${width}`);
        at = plot.right;
      }
      if (plots === 1) assert.ok(g.numbers[0]! > at && g.numbers[1]! > g.numbers[0]!);
      else assert.ok(g.ranking !== null && g.ranking > at);
    }
});

test("labels overlap neither each other nor a point, and the most deserving come first", () => {
  const random = generator(11);
  const area = { left: 0, right: 380, top: 0, bottom: 300 };
  for (let round = 0; round < 20; round++) {
    const dots: Dot[] = Array.from({ length: 60 }, () => ({
      x: 190 + 70 * gauss(random),
      y: 150 + 50 * gauss(random),
      weight: random(),
      text: "",
      width: 30 + 50 * random(),
    }));
    const labels = placeLabels(dots, area, 8);
    assert.ok(labels.length > 0 && labels.length <= 8);
    const boxes = labels.map(({ index, x, y, anchor }) => {
      const { width } = dots[index]!;
      const left = anchor === "start" ? x : anchor === "end" ? x - width : x - width / 2;
      return { left, right: left + width, top: y - 10, bottom: y + 2 };
    });
    boxes.forEach((a, i) => {
      assert.ok(a.left >= area.left && a.right <= area.right);
      for (const b of boxes.slice(i + 1))
        assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top);
      for (const d of dots)
        assert.ok(d.x <= a.left || d.x >= a.right || d.y <= a.top || d.y >= a.bottom);
    });
  }
  const [only] = placeLabels(
    [
      { x: 100, y: 100, weight: 1, text: "", width: 40 },
      { x: 300, y: 100, weight: 2, text: "", width: 40 },
    ],
    area,
    1,
  );
  assert.equal(only!.index, 1);
});

test("residuals are taken from the line, or from the mean where there is none", () => {
  assert.deepEqual(residuals([0, 5, 10], [1, 7, 11], [0, 10], [0, 10]), [1, 2, 1]);
  assert.deepEqual(residuals([0, 5], [1, 3], [], []), [-1, 1]);
});

test("the nearest point within reach is meant", () => {
  const at = (index: number, x: number, y: number) => ({ index, x, y, low: null, high: null });
  const points = [at(4, 10, 10), at(7, 30, 10)];
  assert.equal(nearest(points, 22, 10), 7);
  assert.equal(nearest(points, 200, 200), null);
});

const measure = (value: number | null, low: number | null, high: number | null): Measure => ({
  value: [value],
  low: [low],
  high: [high],
  points: [[value]],
  axis: [0.2, 0.8],
});

test("numbers have the decimals that tell an interval from 50", () => {
  assert.equal(valueText(measure(0.8, 0.71, 0.89), 0), "80");
  assert.equal(rangeText(measure(0.8, 0.71, 0.89), 0), "71–89");
  assert.equal(valueText(measure(0.54, 0.504, 0.58), 0), "54.0");
  assert.equal(rangeText(measure(0.54, 0.504, 0.58), 0), "50.4–58.0");
  assert.equal(rangeText(measure(0.1, -0.1, 0.3), 0), "−10 to 30");
  assert.equal(valueText(measure(null, null, null), 0), "–");
  assert.equal(rangeText(measure(0.5, null, null), 0), "");
});

test("a row is read as one sentence", () => {
  const one: Contrast = {
    ...contrast,
    pse: measure(0.8, 0.71, 0.89),
    jnd: measure(0.06, 0.05, 0.08),
    lean: [1],
    reason: [""],
  };
  const of = { ...picture, words: ["nurse"] };
  assert.equal(rowLabel(of, [one], "pse", 0), "nurse 80 71–89 (PSE, %), leans female");
  const none = { ...one, pse: measure(null, null, null), lean: [2], reason: ["no pair is known"] };
  assert.equal(rowLabel(of, [none], "pse", 0), "nurse –, no pair is known");
});

test("long words are cut with an ellipsis, also those of many parts", () => {
  assert.equal(fit("nurse", 12, 200), "nurse");
  const cut = fit("a very long name of an occupation that nobody has", 12, 80);
  assert.ok(cut.endsWith("…") && cut.length < 20);
  assert.equal(fit("👩‍🏭".repeat(50), 12, 0), "…");
});

test("a ranking names the first and tells the others apart", () => {
  assert.equal(orderText([2, 0, 1], ["Jewish", "Christian", "Muslim"]), "Muslim › J › C");
  assert.equal(orderText([1, 0, 2], ["man", "mason", "woman"]), "mason › man › w");
});

test("an interval of r is turned to r's own sign", () => {
  const r = (value: number | null, low: number | null, high: number | null) => ({
    value,
    low,
    high,
    p: null,
    reason: "",
  });
  assert.deepEqual(turned(r(-0.7, -0.9, -0.4)), [0.4, 0.9]);
  assert.deepEqual(turned(r(0.2, -0.1, 0.5)), [-0.1, 0.5]);
  assert.equal(turned(r(null, null, null)), null);
});

test("pairing says how many pairs the lists make", () => {
  const { groups } = stateOf();
  assert.equal(pairCount({ groups, pairing: "matched" }), "8 pairs");
  assert.equal(pairCount({ groups, pairing: "all" }), "64 pairs");
  assert.equal(pairingText({ groups, pairing: "all" }), "8 × 8 = 64 combinations.");
  const unequal = [groups[0]!, { name: "male", terms: ["male", "man"] }];
  assert.match(pairingText({ groups: unequal, pairing: "matched" }), /8 and 2 cues/);
  assert.deepEqual(paired(unequal, "matched"), { pairing: "all" });
  assert.deepEqual(paired(groups, "matched"), {});
});

test("lists that are edited stay groups; of a loaded spec only its groups become some", () => {
  const now = { ...stateOf(), contrast: 2 };
  const as = (kind: "groups" | "attributes") => now.groups.map((g) => ({ ...g, kind }));
  const [female, male] = as("groups");
  const shorter = { ...female!, terms: ["she"] };
  assert.deepEqual(edited([shorter, male!], now), {
    groups: [{ name: "female", terms: ["she"] }, now.groups[1]],
  });
  const added = edited([female!, male!, { name: "other", kind: "items", terms: ["they"] }], now);
  assert.deepEqual(
    added.groups!.map((g) => g.name),
    ["female", "male", "other"],
  );
  assert.equal(added.contrast, 0, "another number of groups has other contrasts");
  const loaded = edited([shorter, male!, ...as("attributes")], now);
  assert.deepEqual(
    loaded.groups!.map((g) => g.terms.length),
    [1, 8],
  );
  assert.equal(loaded.pairing, "all");
});

test("a spec gives its cue pairs as two groups, or its groups", () => {
  const cues = groupsOf([
    { name: "cue 1", kind: "cue_1", terms: ["love"] },
    { name: "cue 2", kind: "cue_2", terms: ["hate"] },
    { name: "words", kind: "items", terms: ["dog"] },
  ]);
  assert.deepEqual(cues, [
    { name: "love", terms: ["love"] },
    { name: "hate", terms: ["hate"] },
  ]);
  const religions = stateOf("three groups").groups;
  const groups = groupsOf(religions.map((g) => ({ ...g, kind: "groups" as const })));
  assert.deepEqual(groups, religions);
});
