import "./dom";
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { type ComponentChildren, render } from "preact";
import { columnsFor, Forest, type Row } from "../src/lib/chart/Forest";
import {
  beyondPath,
  intervalPath,
  pointsPath,
  type Shape,
  shapePath,
} from "../src/lib/chart/marks";
import { axisTicks, ValueAxis } from "../src/lib/chart/ValueAxis";
import { linear } from "../src/lib/scale";
import { textWidth } from "../src/lib/textwidth";
import { allById } from "./dom";

const X = linear([0.2, 0.8], [100, 400]);

afterEach(() => document.body.replaceChildren());

function drawn(picture: ComponentChildren): HTMLElement {
  const box = document.createElement("div");
  document.body.append(box);
  render(<svg>{picture}</svg>, box);
  return box;
}

const ROWS: Row[] = [
  {
    name: "nurse",
    y: 10,
    marks: [{ value: 0.7, low: 0.6, high: 0.9, texts: ["70", "60–90"], data: { testid: "one" } }],
  },
  { name: "a name that is much longer than its column", y: 30, marks: [] },
];

test("marks differ in shape, and an open one has the outline of a full one", () => {
  const shapes: Shape[] = ["circle", "ring", "square", "diamond", "hollow"];
  const outlines = shapes.map((shape) => shapePath(shape, 10, 10, 4));
  assert.equal(new Set(outlines).size, 3);
  assert.equal(outlines[0], outlines[1]);
  assert.equal(outlines[3], outlines[4]);
});

test("an interval ends where the scale does, and is not drawn beyond it", () => {
  const path = (low: number | null, high: number | null) =>
    intervalPath({ value: 0.5, low, high }, X, 10);
  assert.equal(path(0.1, 0.6), "M100 10H300");
  assert.equal(path(0.85, 0.95), "");
  assert.equal(path(null, null), "");
});

test("single values are rings, and triangles tell of those beyond the scale", () => {
  const values = [0.1, 0.5, 0.9, null, Number.NaN];
  const count = (path: string) => path.split("M").length - 1;
  assert.equal(count(pointsPath(values, X, 10)), 1);
  assert.equal(count(beyondPath(values, X, 10)), 2);
  assert.equal(beyondPath([0.5], X, 10), "");
});

test("the neutral value is among the ticks, and named at any place", () => {
  for (const domain of [
    [0.2, 1.5],
    [0.93, 1.07],
    [0, 2],
  ] as const)
    assert.ok(axisTicks(domain, 1, 300).includes(1));
  const x = linear([0, 1], [0, 400]);
  const axis = { x, ticks: [0, 0.5, 1], neutral: 0, label: "none 0", top: 30, bottom: 90 };
  const box = drawn(<ValueAxis {...axis} width={400} />);
  const [label, ...numbers] = [...box.querySelectorAll("text")];
  assert.ok(Number(label!.getAttribute("x")) > 10, "a name at the end stays in the drawing");
  assert.deepEqual(
    numbers.map((text) => [text.textContent, text.classList.contains("bold")]),
    [
      ["0", true],
      ["0.5", false],
      ["1.0", false],
    ],
  );
});

test("names, scale and numbers stand beside each other at any width", () => {
  for (const width of [300, 420, 900]) {
    const columns = columnsFor(width, ROWS, { least: 40, most: 120 });
    const { nameRight, left, right, numbers } = columns;
    assert.ok(nameRight < left && left < right && right < numbers[0]! && numbers[1]! <= width);
    assert.ok(numbers[1]! - textWidth("60–90", 12) > numbers[0]!);
  }
});

test("a row has its name, its estimates with their numbers, and attributes of these", () => {
  const columns = columnsFor(420, ROWS, { least: 40, most: 120 });
  const box = drawn(<Forest columns={columns} x={X} rows={ROWS} heads={["%"]} top={20} />);
  const [one] = allById(box, "one");
  assert.equal(one!.querySelector(".interval")!.getAttribute("d"), "M300 10H400");
  assert.ok(one!.querySelector(".mark"));
  assert.deepEqual(
    [...one!.querySelectorAll("text")].map((text) => text.textContent),
    ["70", "60–90"],
  );
  const names = [...box.querySelectorAll(".name")].map((text) => text.textContent);
  assert.equal(names[0], "nurse");
  assert.match(names[1]!, /…$/);
});

test("a name is broken into lines where its rows have room, and then not cut", () => {
  const columns = columnsFor(420, ROWS, { least: 40, most: 120 });
  const box = drawn(<Forest columns={columns} x={X} rows={ROWS} wrapped />);
  const lines = [...box.querySelectorAll(".name")[1]!.children].map((line) => line.textContent);
  assert.ok(lines.length > 1);
  assert.equal(lines.join(" "), ROWS[1]!.name);
});
