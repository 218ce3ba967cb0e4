import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cellAt,
  firstCell,
  linesOf,
  pathsOf,
  placeOf,
  rasterFor,
  rowHeight,
  type SquareRow,
  squareKey,
  toneOf,
} from "../src/lib/bench/squares";
import { heightsOf, within } from "../src/lib/ui/window";

const EDGES = [0.6, 1.6] as const;
const RASTER = { columns: 4, pitch: 16, side: 13 };

const row = (key: string, tones: string, top: number, faded = ""): SquareRow => ({
  key,
  tones,
  faded,
  top,
});
/** Six squares in two lines, then three in one. */
const ROWS = [row("a", "CBAabc", 10), row("b", "CAt", 60)];

test("shades come in three steps each way; ties, failures and what is not scored have their own", () => {
  const tones = [2, 1, 0.1, -0.1, -1, -2].map((v) => toneOf(v, v > 0 ? "s" : "a", EDGES));
  assert.equal(tones.join(""), "CBAabc");
  assert.equal(toneOf(1.6, "s", EDGES), "C", "an edge belongs to the stronger shade");
  assert.equal(toneOf(0, "t", EDGES), "t");
  assert.equal(toneOf(null, "f", EDGES), "f");
  assert.equal(toneOf(null, "-", EDGES), "-");
  assert.equal(toneOf(undefined, "s", EDGES), "-");
});

test("every square lies under its own place, and nothing under the gaps between rows", () => {
  ROWS.forEach((one, r) => {
    for (let at = 0; at < one.tones.length; at++) {
      const { x, y } = placeOf(RASTER, one.top, at);
      assert.deepEqual(cellAt(ROWS, RASTER, x + 6, y + 6), { row: r, at });
    }
  });
  assert.equal(cellAt(ROWS, RASTER, 6, 5), null);
  assert.equal(cellAt(ROWS, RASTER, 40, 32), null, "the second line has two squares");
  assert.equal(cellAt(ROWS, RASTER, 70, 12), null, "right of the last column");
  assert.equal(rowHeight(6, RASTER), 29);
  assert.equal(linesOf(6, RASTER), 2);
});

test("right goes on through all rows and back, so that every pair is reached", () => {
  const seen = [firstCell(ROWS)!];
  for (let i = 0; i < 20; i++) seen.push(squareKey("ArrowRight", seen.at(-1)!, ROWS, RASTER)!);
  assert.equal(new Set(seen.map((c) => `${c.row} ${c.at}`)).size, 9);
  assert.deepEqual(seen.at(-1), { row: 1, at: 2 });
  let back = seen.at(-1)!;
  for (let i = 0; i < 20; i++) back = squareKey("ArrowLeft", back, ROWS, RASTER)!;
  assert.deepEqual(back, { row: 0, at: 0 });
});

test("up and down go by lines, Home and End in the row, pages by rows; other keys are not its own", () => {
  const go = (key: string, row: number, at: number) => squareKey(key, { row, at }, ROWS, RASTER);
  assert.deepEqual(go("ArrowDown", 0, 1), { row: 0, at: 5 });
  assert.deepEqual(go("ArrowDown", 0, 5), { row: 1, at: 1 });
  assert.deepEqual(go("ArrowUp", 1, 1), { row: 0, at: 5 });
  assert.deepEqual(go("ArrowUp", 1, 2), { row: 0, at: 5 }, "the nearest where the line is shorter");
  assert.deepEqual(go("Home", 0, 3), { row: 0, at: 0 });
  assert.deepEqual(go("End", 0, 3), { row: 0, at: 5 });
  assert.deepEqual(go("PageDown", 0, 1), { row: 1, at: 1 });
  assert.equal(go("e", 0, 0), null);
});

test("squares that a filter leaves out are passed over", () => {
  const rows = [row("a", "CBAabc", 10, "111011"), row("b", "CAt", 60, "110")];
  assert.deepEqual(firstCell(rows), { row: 0, at: 3 });
  assert.deepEqual(squareKey("ArrowRight", { row: 0, at: 3 }, rows, RASTER), { row: 1, at: 2 });
  assert.deepEqual(squareKey("ArrowDown", { row: 0, at: 3 }, rows, RASTER), { row: 1, at: 2 });
  assert.equal(firstCell([row("a", "CB", 0, "11")]), null);
});

test("a row is few paths, however many squares", () => {
  const paths = pathsOf("C".repeat(500) + "t".repeat(20), "", RASTER);
  assert.deepEqual([...paths.keys()], ["C", "t"]);
  assert.equal(paths.get("C")!.split("Z").length - 1, 500);
  assert.deepEqual([...pathsOf("CC", "01", RASTER).keys()], ["C", "C faded"]);
});

test("squares are as large as the lines allow", () => {
  assert.equal(rasterFor(192, 12).pitch, 16);
  assert.equal(rasterFor(192, 12).columns, 12);
  assert.equal(rasterFor(192, 60).pitch, 12);
  assert.equal(rasterFor(192, 516).pitch, 9);
});

test("of a long list what is in sight is found", () => {
  const ends = heightsOf([30, 40, 40, 30], (h) => h);
  assert.deepEqual(ends, [30, 70, 110, 140]);
  assert.deepEqual(within(ends, 0, 50), [0, 2]);
  assert.deepEqual(within(ends, 75, 140), [2, 4]);
  assert.deepEqual(within([], 0, 100), [0, 0]);
});
