import "./dom";
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { type ComponentChildren, createRef, render } from "preact";
import { columnsFor, Forest, type Row } from "../src/lib/chart/Forest";
import { Handle } from "../src/lib/chart/Handle";
import {
  beyondPath,
  intervalPath,
  pointsPath,
  type Shape,
  shapePath,
} from "../src/lib/chart/marks";
import { ValueAxis } from "../src/lib/chart/ValueAxis";
import { tickPath } from "../src/lib/marks";
import { axisTicks, domainOver, linear } from "../src/lib/scale";
import { textWidth } from "../src/lib/textwidth";
import { allById, byId, settle } from "./dom";
import { press } from "./shown";

const X = linear([0.2, 0.8], [100, 400]);

afterEach(() => document.body.replaceChildren());

function drawn(picture: ComponentChildren): HTMLElement {
  const box = document.createElement("div");
  document.body.append(box);
  render(<svg>{picture}</svg>, box);
  return box;
}

test("marks differ in shape; an interval ends where the scale does, and triangles tell of the rest", () => {
  const shapes: Shape[] = ["circle", "ring", "square", "diamond", "hollow"];
  const outlines = shapes.map((shape) => shapePath(shape, 10, 10, 4));
  assert.equal(new Set(outlines).size, 3);
  assert.equal(outlines[0], outlines[1], "a ring has the outline of a disc");
  assert.equal(outlines[3], outlines[4]);
  const path = (low: number | null, high: number | null) =>
    intervalPath({ value: 0.5, low, high }, X, 10);
  assert.equal(path(0.1, 0.6), "M100 10H300");
  assert.equal(path(0.85, 0.95), "");
  assert.equal(path(null, null), "");
  const values = [0.1, 0.5, 0.9, null, Number.NaN];
  const count = (path: string) => path.split("M").length - 1;
  assert.equal(count(pointsPath(values, X, 10)), 1);
  assert.equal(count(beyondPath(values, X, 10)), 2);
  assert.equal(beyondPath([0.5], X, 10), "");
  assert.equal(tickPath([1, 2.26], 5, 4), "M1 3v4M2.3 3v4");
});

test("an axis holds all values; the neutral one is among its ticks, and named at any place", () => {
  const [low, high] = domainOver([0.31, 0.78, null, undefined, Number.NaN], 0.06);
  assert.ok(low < 0.31 && high > 0.78);
  assert.deepEqual(domainOver([], 0.06), [0, 1]);
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

const ROWS: Row[] = [
  {
    name: "nurse",
    y: 10,
    marks: [{ value: 0.7, low: 0.6, high: 0.9, texts: ["70", "60–90"], data: { testid: "one" } }],
  },
  { name: "a name that is much longer than its column", y: 30 },
];

test("a row has its name, its estimates and their numbers beside each other at any width", () => {
  for (const width of [300, 420, 900]) {
    const { nameRight, left, right, numbers } = columnsFor(width, ROWS, { least: 40, most: 120 });
    assert.ok(nameRight < left && left < right && right < numbers[0]! && numbers[1]! <= width);
    assert.ok(numbers[1]! - textWidth("60–90", 12) > numbers[0]!);
  }
  const columns = columnsFor(420, ROWS, { least: 40, most: 120 });
  const shown = drawn(<Forest columns={columns} x={X} rows={ROWS} heads={["%"]} top={20} />);
  const [one] = allById(shown, "one");
  assert.equal(one!.querySelector(".interval")!.getAttribute("d"), "M300 10H400");
  assert.ok(one!.querySelector(".mark"));
  const texts = (box: Element, names: string) =>
    [...box.querySelectorAll(names)].map((text) => text.textContent);
  assert.deepEqual(texts(one!, "text"), ["70", "60–90"]);
  const [short, long] = texts(shown, ".name");
  assert.equal(short, "nurse");
  assert.match(long!, /…$/);
  const wrapped = drawn(<Forest columns={columns} x={X} rows={ROWS} wrapped />);
  const lines = texts(wrapped.querySelectorAll(".name")[1]!, "tspan");
  assert.ok(lines.length > 1);
  assert.equal(lines.join(" "), ROWS[1]!.name, "where rows have room a name is not cut");
});

test("a handle is dragged by its rim without a jump, goes where the axis is pressed, and back by Esc", async () => {
  const svg = createRef<SVGSVGElement>();
  let now = 50;
  const steps: number[] = [];
  const box = document.createElement("div");
  document.body.append(box);
  const draw = () =>
    render(
      <svg ref={svg} width={100}>
        <Handle
          svg={svg}
          x={now}
          y={5}
          get={() => now}
          set={(to) => {
            now = to;
            draw();
          }}
          at={(x) => x}
          move={(event) => (event.key === "End" ? 100 : null)}
          onStep={(by) => steps.push(by)}
          onDrag={() => {}}
          label="Level"
          value={{ min: 0, now, max: 100, text: `${now}` }}
          hits={[{ look: "axis-hit", x: 0, y: 0, width: 100, height: 10 }]}
          data-testid="handle"
        />
      </svg>,
      box,
    );
  draw();
  const handle = byId(box, "handle")!;
  const point = async (target: Element, name: string, clientX: number) => {
    target.dispatchEvent(new PointerEvent(name, { clientX, button: 0, bubbles: true }));
    await settle();
  };
  await point(handle, "pointerdown", 54);
  assert.equal(now, 50);
  await point(handle, "pointermove", 64);
  assert.equal(now, 60);
  assert.ok(handle.classList.contains("dragging"));
  press(document.body, "Escape");
  await settle();
  assert.deepEqual([now, handle.classList.contains("dragging")], [50, false]);
  await point(box.querySelector(".axis-hit")!, "pointerdown", 20);
  assert.equal(now, 20);
  await point(box.querySelector(".axis-hit")!, "pointerup", 20);
  for (const key of ["End", "ArrowDown"]) press(handle, key);
  assert.deepEqual([now, steps], [100, [1]]);
  press(handle, "Escape");
  assert.equal(now, 50, "to where it was before the hand came");
});
