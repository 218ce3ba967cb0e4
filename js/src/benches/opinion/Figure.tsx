import type { ForestRow, Panel, Ratio } from "../../generated/opinion";
import { type Columns, columnsFor, ForestRow as Drawn } from "../../lib/chart/Forest";
import { type RowMark, type Shape, shapePath } from "../../lib/chart/marks";
import { ValueAxis } from "../../lib/chart/ValueAxis";
import { fixed } from "../../lib/format";
import { px } from "../../lib/marks";
import { axisTicks, linear, type Scale } from "../../lib/scale";
import { fit, textWidth } from "../../lib/textwidth";
import { type Spot, tabOf, type View } from "./store";

const ROW = 19;
const LEAST = 250;
const GAP = 26;
const MODEL = 26;
const HEAD = 66;
const FOOT = 26;
const RATIO = 78;
const PLACES = 62;
const BARS = 30;
/** Left of the two small drawings. */
const NAMES = ["least ÷ most", "first, by place"] as const;

interface Place {
  x: number;
  y: number;
}

/** Where panels stand: those of a model beside each other, as many as there is room for. */
function layoutOf(panels: readonly Panel[], width: number) {
  const most = Math.max(1, ...modelsOf(panels).map(([, own]) => own.length));
  const columns = Math.min(most, Math.max(1, Math.floor((width + GAP) / (LEAST + GAP))));
  const each = Math.min(560, (width + GAP) / columns - GAP);
  const places: Place[] = [];
  const models: { name: string; y: number }[] = [];
  let y = 0;
  for (const [name, own] of modelsOf(panels)) {
    models.push({ name, y });
    y += MODEL;
    for (let i = 0; i < own.length; i += columns) {
      const line = own.slice(i, i + columns);
      for (const [k] of line.entries()) places.push({ x: k * (each + GAP), y });
      y += Math.max(...line.map(heightOf)) + 18;
    }
  }
  return { each, places, models, height: y };
}

/** Over the rows; without the line of a title where there is none. */
const headOf = ({ title }: Panel) => (title ? HEAD : HEAD - 17);

const heightOf = (panel: Panel) =>
  headOf(panel) +
  panel.rows.length * ROW +
  FOOT +
  (panel.ratio ? RATIO : 0) +
  (panel.places.length > 0 ? PLACES : 0);

function modelsOf(panels: readonly Panel[]): [string, Panel[]][] {
  const models = new Map<string, Panel[]>();
  for (const panel of panels) models.set(panel.model, [...(models.get(panel.model) ?? []), panel]);
  return [...models];
}

interface Props {
  view: View;
  width?: number;
  /** Of the rows' elements. */
  id?: string;
  /** Places of the panels that are drawn; all by default. */
  shown?: readonly number[];
}

/** All panels of the chosen way of looking, on the screen and to take along. */
export function Figure({ view, width = 1180, id, shown }: Props) {
  const all = tabOf(view.answer.picture, view.inputs)?.panels ?? [];
  const drawn = shown ?? [...all.keys()];
  const panels = drawn.map((i) => all[i]!);
  const { each, places, models, height } = layoutOf(panels, width);
  return (
    <svg class="drawing" width={width} height={height} role="presentation">
      {models.map(({ name, y }) => (
        <text key={name} class="t13 bold" x={0} y={y + 14}>
          {name}
        </text>
      ))}
      {panels.map((panel, i) => (
        <g key={i} transform={`translate(${px(places[i]!.x)} ${px(places[i]!.y)})`}>
          <One panel={panel} index={drawn[i]!} width={each} spot={view.spot} id={id} />
        </g>
      ))}
    </svg>
  );
}

interface OneProps {
  panel: Panel;
  index: number;
  width: number;
  spot: Spot | null;
  id?: string | undefined;
}

function One({ panel, index, width, spot, id }: OneProps) {
  const { title, status, note, clear, rows, axis, neutral, neutral_label, margin } = panel;
  const head = headOf(panel);
  const drawn = rows.map((row, i) => ({
    name: row.label,
    bold: row.tone !== "",
    y: head + (i + 0.5) * ROW,
    marks: marksOf(row),
  }));
  const least = panel.ratio ? textWidth(NAMES[1], 12) + 2 : 40;
  const columns = columnsFor(width, drawn, { least, most: 0.42 * width });
  const x = linear(axis, [columns.left, columns.right]);
  const bottom = head + rows.length * ROW;
  const room = width - textWidth(note, 11) - 8;
  // Counted from the neutral value where that is a round one.
  const round = neutral !== null && Number.isInteger(2 * neutral);
  const ticks = axisTicks(axis, round ? neutral : 0, columns.right - columns.left, 38);
  return (
    <>
      <text class="t12 bold" y={13}>
        {fit(title, 12, width, true)}
      </text>
      <text class={`t12 ${clear ? "bold" : "ink2"}`} y={head - 36} data-testid="status">
        {fit(status, 12, room, clear)}
      </text>
      <text class="t11 ink2" x={width} y={head - 36} text-anchor="end">
        {note}
      </text>
      {margin > 0 && (
        <rect
          class="alike"
          x={px(x(-margin))}
          y={head - 4}
          width={px(x(margin) - x(-margin))}
          height={bottom - head + 4}
        />
      )}
      <ValueAxis
        x={x}
        ticks={ticks}
        neutral={neutral}
        label={neutral_label}
        top={head}
        bottom={bottom}
        width={width}
      />
      {drawn.map((row, i) => {
        const chosen = spot?.panel === index && spot.row === i;
        const { label, line } = rows[i]!;
        return (
          <g
            key={i}
            id={id && `${id}-${index}-${i}`}
            role="option"
            aria-selected={chosen}
            aria-label={`${[`${label} ${rows[i]!.text}`, panel.model, title].filter(Boolean).join(", ")}: ${line}`}
            data-spot={`${index} ${i}`}
            data-testid="forest-row"
          >
            <rect
              class={`band ${chosen ? "held" : ""}`}
              x={-2}
              y={row.y - ROW / 2}
              width={width + 4}
              height={ROW}
              rx={4}
              data-screen-only=""
            />
            <Drawn columns={columns} x={x} row={row} />
          </g>
        );
      })}
      {panel.ratio && <Ratios ratio={panel.ratio} columns={columns} top={bottom + FOOT} />}
      {panel.places.length > 0 && (
        <Places
          shares={panel.places}
          columns={columns}
          top={bottom + FOOT + (panel.ratio ? RATIO : 0)}
        />
      )}
    </>
  );
}

const SHAPES: Record<ForestRow["tone"], Shape> = {
  "": "ring",
  clear: "circle",
  first: "circle",
  second: "square",
};

/** The estimate, and over it an open diamond where another was published. */
function marksOf({ value, low, high, beside, tone, text }: ForestRow): RowMark[] {
  const own = { value, low, high, look: `tone-${tone}`, shape: SHAPES[tone], texts: [text] };
  if (beside === null) return [own];
  const published = { value: beside, low: null, high: null, look: "tone-published" };
  return [own, { ...published, shape: "hollow" as const, size: 5 }];
}

interface PartProps {
  columns: Columns;
  top: number;
}

/** A name left of a small drawing, and its numbers right of it. */
function Beside({ columns, y, texts }: { columns: Columns; y: number; texts: readonly string[] }) {
  const { nameRight, nameWidth, width } = columns;
  return (
    <>
      <text class="name t12" x={nameRight} y={y} text-anchor="end">
        {fit(texts[0]!, 12, nameWidth)}
      </text>
      <text class="t12 bold" x={width - 1} y={y} text-anchor="end">
        {texts[1]}
      </text>
    </>
  );
}

/** Least over most often, and in grey where it lies for a ranker that ignores groups. */
function Ratios({ ratio, columns, top }: PartProps & { ratio: Ratio }) {
  const { value, fair, edges, heights } = ratio;
  const x = linear([Math.min(edges[0] ?? 0, value) - 0.02, 1], [columns.left, columns.right]);
  const base = top + 12 + BARS;
  return (
    <g data-testid="ratio">
      <Beside columns={columns} y={top + 30} texts={[NAMES[0], fixed(value, 2)]} />
      <path class="fair" d={outline(edges, heights, x, base)} />
      <path class="dotted" d={`M${px(x(0.8))} ${top + 8}V${base}`} />
      <path class="observed" d={`M${px(x(value))} ${top + 14}V${base}`} />
      <path class="dot" d={shapePath("circle", x(value), top + 12, 3.5)} />
      <path class="hair" d={`M${columns.left} ${base}H${columns.right}`} />
      <text class="t11 ink2" x={x(0.8)} y={base + 14} text-anchor="middle">
        0.8
      </text>
      <text class="t11 ink2" x={columns.width - 1} y={base + 28} text-anchor="end">
        {`grey: a ranker that ignores groups, ${fair.map((end) => fixed(end, 2)).join(" to ")}`}
      </text>
    </g>
  );
}

function outline(edges: readonly number[], heights: readonly number[], x: Scale, base: number) {
  const most = Math.max(...heights, 1e-9);
  const steps = heights.map((height, i) => {
    const y = px(base - (height / most) * BARS);
    return `V${y}H${px(x(edges[i + 1]!))}`;
  });
  return `M${px(x(edges[0] ?? 0))} ${base}${steps.join("")}V${base}Z`;
}

/** How often the candidate at each place of the prompt came first. */
function Places({ shares, columns, top }: PartProps & { shares: readonly number[] }) {
  const base = top + 10 + BARS;
  const each = (columns.right - columns.left) / shares.length;
  const height = (share: number) => px((share / Math.max(...shares)) * BARS);
  const even = 100 / shares.length;
  return (
    <g data-testid="places">
      <Beside columns={columns} y={base - 8} texts={[NAMES[1], `${fixed(shares[0]!, 0)} %`]} />
      {shares.map((share, i) => (
        <rect
          key={i}
          class={i === 0 ? "place first" : "place"}
          x={px(columns.left + i * each + 1)}
          y={px(base - height(share))}
          width={px(Math.max(1, each - 2))}
          height={height(share)}
        />
      ))}
      <path class="hair" d={`M${columns.left} ${base}H${columns.right}`} />
      <path class="neutral" d={`M${columns.left} ${px(base - height(even))}H${columns.right}`} />
      {[0, shares.length - 1].map((i) => (
        <text
          key={i}
          class="t11 ink2"
          x={px(columns.left + (i + 0.5) * each)}
          y={base + 14}
          text-anchor="middle"
        >
          {i + 1}
        </text>
      ))}
    </g>
  );
}
