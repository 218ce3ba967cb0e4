import assert from "node:assert/strict";
import { test } from "node:test";
import { written } from "../src/app/compare/comparison";
import { about, count, fixed, many, percent, percentRange, short } from "../src/lib/format";
import { normalCdf } from "../src/lib/normal";
import { clamp, linear, tickStep, ticks } from "../src/lib/scale";
import { wrap } from "../src/lib/textwidth";

test("normal distribution function to twelve digits", () => {
  // Computed with 30 digits; at 3 the method changes.
  const table: [number, number][] = [
    [0, 0.5],
    [0.5, 0.691462461274013],
    [1, 0.841344746068543],
    [1.96, 0.9750021048517795],
    [2.999, 0.998645663466273],
    [3.001, 0.998654527174915],
    [5, 0.9999997133484281],
  ];
  for (const [z, area] of table) {
    assert.ok(Math.abs(normalCdf(z) - area) < 1e-12, `z = ${z}: ${normalCdf(z)}`);
    assert.ok(Math.abs(normalCdf(-z) - (1 - area)) < 1e-12, `z = ${-z}`);
  }
  assert.equal(normalCdf(Number.POSITIVE_INFINITY), 1);
  assert.equal(normalCdf(Number.NEGATIVE_INFINITY), 0);
  assert.ok(
    Math.abs(normalCdf(-10) / 7.6198530241605e-24 - 1) < 1e-12,
    "relative accuracy far out",
  );
});

test("scales map both ways, also a domain of no width", () => {
  const x = linear([0.4, 0.8], [44, 612]);
  assert.equal(x(0.4), 44);
  assert.equal(x(0.8), 612);
  assert.ok(Math.abs(x.invert(x(0.613)) - 0.613) < 1e-12);
  const flat = linear([0.5, 0.5], [0, 10]);
  assert.equal(flat(0.5), 5);
  assert.equal(flat.invert(3), 0.5);
  assert.equal(clamp(3, 0, 1), 1);
});

test("ticks are round and hold both ends", () => {
  assert.equal(tickStep(0, 1, 5), 0.2);
  assert.equal(tickStep(0.35, 1.45, 5), 0.2);
  assert.equal(tickStep(0.45, 0.8, 5), 0.1);
  assert.deepEqual(ticks(0, 1, 0.2), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(-0.1, 0.1, 0.05), [-0.1, -0.05, 0, 0.05, 0.1]);
});

test("numbers are written as people read them", () => {
  assert.equal(fixed(-0.747, 3), "\u22120.747");
  assert.equal(fixed(-0.0001, 2), "0.00", "no minus zero");
  assert.equal(fixed(Number.NaN, 2), "?");
  assert.equal(percent(0.613), "61 %");
  assert.equal(percentRange([0.52, 0.7]), "52–70 %");
  assert.equal(percentRange([0.593, 0.627]), "59.3–62.7 %");
  assert.equal(percentRange([-0.1, 0.2]), "\u221210 to 20 %", "a dash next to a minus misleads");
  assert.equal(short(0.62), ".62");
  assert.equal(short(-0.12), "\u2212.12");
  assert.equal(short(1.04), "1.04");
  assert.equal(count(7), "7");
  assert.equal(count(7.42), "7.4");
  assert.equal(many(1, "row"), "1 row");
  assert.equal(about(40.2), "about 40 s");
  assert.equal(about(600), "about 10 min");
  assert.equal(written(0.051, 100, 1, true), "+5.1");
  assert.equal(written(null, 100, 1), "");
});

test("text wraps between words and loses none", () => {
  const text = "The model needs 61 % male in the blend before it answers male";
  const lines = wrap(text, 13, 120);
  assert.ok(lines.length > 2);
  assert.equal(lines.join(" "), text);
});

test("a half goes to the even neighbour, as in the sentences that Python writes", () => {
  assert.equal(percent(0.625), "62 %");
  assert.equal(percent(0.635), "64 %");
  assert.equal(percent(0.375), "38 %");
  assert.equal(percent(-0.625), "\u221262 %");
  assert.equal(percent(0.6251), "63 %");
});
