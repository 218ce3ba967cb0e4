import assert from "node:assert/strict";
import { test } from "node:test";
import { geometry } from "../src/benches/psychometric/layout";
import { besideDot } from "../src/benches/psychometric/picture/Alpha";
import { boxOf, lineAround, overlap } from "../src/lib/boxes";

const g = geometry(900);
const middle = (g.left + g.right) / 2;

test("the guide line leaves a gap where it would cross words", () => {
  const box = boxOf(middle - 40, 200, 80, "start", 2);
  const path = lineAround(middle, 100, 400, [box]);
  const parts = path.split("M").filter(Boolean);
  assert.equal(parts.length, 2);
  const ends = parts.map((part) =>
    part
      .match(/[\d.]+ ([\d.]+)V([\d.]+)/)!
      .slice(1)
      .map(Number),
  );
  for (const [from, to] of ends) assert.ok(to! <= box.top || from! >= box.bottom);
  assert.equal(lineAround(box.right + 10, 100, 400, [box]), `M${box.right + 10} 100V400`);
});

test("a line ends where it should, also at words that touch, or stand beyond its ends", () => {
  const words = (y: number) => boxOf(40, y, 80, "start");
  assert.equal(lineAround(50, 100, 200, [words(50), words(300)]), "M50 100V200");
  assert.equal(lineAround(50, 100, 200, [words(205)]), "M50 100V192");
  assert.equal(lineAround(50, 100, 200, [words(110)]), "M50 114V200");
  assert.equal(lineAround(50, 100, 200, [words(140), words(150)]), "M50 100V127M50 154V200");
});

test("the count beside the dot keeps clear of the curve's labels", () => {
  const y = (g.top + g.bottom) / 2;
  const usual = besideDot(g, middle, y, 0.8, 120, []);
  assert.deepEqual(usual, { anchor: "end", dy: 4 });
  const taken = boxOf(middle - 20, y + 4, 140, "end", 2);
  const { anchor, dy } = besideDot(g, middle, y, 0.8, 120, [taken]);
  const at = middle + (anchor === "end" ? -11 : 11);
  assert.ok(!overlap(boxOf(at, y + dy, 120, anchor), taken));
});
