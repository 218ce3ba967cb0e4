import type { RefObject } from "preact";
import { useMemo } from "preact/hooks";
import type { Agreement, Contrast, Picture } from "../../generated/occupations";
import { leaning, markClass, shapePath } from "../../lib/chart/marks";
import { Grid, Numbers } from "../../lib/chart/ValueAxis";
import { type Dot, placeLabels, residuals } from "../../lib/labels";
import { memo } from "../../lib/memo";
import { clamp, domainOver, linear, type Scale, tickStep, ticks } from "../../lib/scale";
import { fit, textWidth } from "../../lib/textwidth";
import { useUid } from "../../lib/uid";
import type { Store, View } from "./store";
import { valueText } from "./texts";

export interface ScatterGeometry {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function scatterGeometry(width: number): ScatterGeometry {
  const height = clamp(Math.round(width * 0.86), 260, 380);
  return { width, height, left: 40, right: width - 12, top: 26, bottom: height - 44 };
}

/** What is drawn: positions in pixels of the words that have both numbers. */
export interface Drawing {
  g: ScatterGeometry;
  x: Scale;
  y: Scale;
  points: { index: number; x: number; y: number; low: number | null; high: number | null }[];
}

export function drawingOf(
  g: ScatterGeometry,
  picture: Picture | null,
  contrast: Contrast | null,
  agreement: Agreement | null,
  measure: "pse" | "jnd",
): Drawing {
  const neutral = measure === "pse" ? 50 : null;
  const place = new Map(picture?.words.map((word, i) => [word, i]));
  const points = (agreement?.words ?? []).flatMap((word, i) => {
    const index = place.get(word);
    const at = [agreement!.x[i]!, agreement!.y[i]!];
    return index === undefined || !at.every(Number.isFinite) ? [] : [{ index, at }];
  });
  const ends = (index: number) => {
    const low = contrast?.[measure].low[index] ?? null;
    const high = contrast?.[measure].high[index] ?? null;
    return [low === null ? null : 100 * low, high === null ? null : 100 * high] as const;
  };
  const ys = points.map((f) => f.at[1]!);
  const around = neutral === null ? [] : [neutral - 5, neutral + 5];
  // A few long whiskers do not squeeze the points: the axis holds the points and most intervals.
  const lows = quantile(
    points.map((f) => ends(f.index)[0] ?? f.at[1]!),
    0.05,
  );
  const highs = quantile(
    points.map((f) => ends(f.index)[1] ?? f.at[1]!),
    0.95,
  );
  const empty: [number, number] = neutral === null ? [0, 30] : [20, 80];
  const y = linear(ys.length > 0 ? domainOver([...ys, ...around, lows, highs], 0.04) : empty, [
    g.bottom,
    g.top,
  ]);
  const x = linear(
    xDomain(
      agreement,
      points.map((f) => f.at[0]!),
    ),
    [g.left, g.right],
  );
  return {
    g,
    x,
    y,
    points: points.map(({ index, at }) => {
      const [from, to] = ends(index);
      return {
        index,
        x: x(at[0]!),
        y: y(at[1]!),
        low: from === null ? null : clamp(y(from), g.top, g.bottom),
        high: to === null ? null : clamp(y(to), g.top, g.bottom),
      };
    }),
  };
}

/** A share goes from 0 to 100; anything else as far as its numbers go. */
function xDomain(agreement: Agreement | null, values: number[]): [number, number] {
  if (!agreement || values.length === 0) return [0, 100];
  const low = Math.min(...values);
  const high = Math.max(...values);
  const isPercent = /%|per ?cent/i.test(agreement.x_label) && low >= 0 && high <= 100;
  if (isPercent && high > 1) return [0, 100];
  return domainOver(values, 0.05);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.round(share * (sorted.length - 1))]! : Number.NaN;
}

interface Props {
  drawing: Drawing;
  picture: Picture | null;
  contrast: Contrast | null;
  agreement: Agreement | null;
  measure: "pse" | "jnd";
  label: string;
  cue2: string;
  svg?: RefObject<SVGSVGElement>;
  hand?: { store: Store; view: View };
}

/** Each word at its outside number and its own, with the fitted line. */
export function Scatter(props: Props) {
  const { drawing, label, hand } = props;
  const { g } = drawing;
  return (
    <svg
      class="drawing scatter"
      width={g.width}
      height={g.height}
      role="img"
      aria-label={label}
      data-testid="scatter"
      data-points={drawing.points.length}
    >
      <ScatterBody {...props} />
      {hand && <ScatterHand {...props} {...hand} />}
    </svg>
  );
}

type BodyProps = Omit<Props, "hand" | "svg" | "label">;

export const ScatterBody = memo(function ScatterBody(props: BodyProps) {
  const { drawing, picture, contrast, agreement, measure, cue2 } = props;
  const { g, x, y, points } = drawing;
  const id = useUid();
  const neutral = measure === "pse" ? 50 : null;
  const xs = ticks(...x.domain, tickStep(...x.domain, 4));
  const ys = ticks(...y.domain, tickStep(...y.domain, 6));
  const labels = useMemo(
    () => labelsOf(drawing, picture, agreement),
    [drawing, picture, agreement],
  );
  return (
    <g>
      <clipPath id={id}>
        <rect x={g.left} y={g.top} width={g.right - g.left} height={g.bottom - g.top} />
      </clipPath>
      <text class="t11 ink2" x={0} y={11}>
        {measure === "pse" ? fit(`PSE, % ${cue2}`, 11, g.width) : "JND, % of the spectrum"}
      </text>
      <Grid x={x} ticks={xs} neutral={null} top={g.top} bottom={g.bottom} />
      <path class="grid" d={ys.map((t) => `M${g.left} ${y(t)}H${g.right}`).join("")} />
      <Numbers
        x={x}
        ticks={xs}
        neutral={null}
        y={g.bottom}
        title={agreement ? fit(agreement.x_label, 11, g.width) : ""}
        text={String}
      />
      {ys.map((t) => (
        <text
          key={t}
          class={`t11 ${t === neutral ? "bold" : "ink2"}`}
          x={g.left - 8}
          y={y(t) + 4}
          text-anchor="end"
        >
          {t}
        </text>
      ))}
      {neutral !== null && (
        <>
          <path class="neutral" d={`M${g.left} ${y(neutral)}H${g.right}`} />
          {!ys.includes(neutral) && (
            <text class="t11 bold halo" x={g.left - 8} y={y(neutral) + 4} text-anchor="end">
              {neutral}
            </text>
          )}
        </>
      )}
      {agreement && <Line drawing={drawing} agreement={agreement} clip={id} />}
      <path
        class="whiskers"
        d={points
          .map((p) =>
            p.low === null || p.high === null ? "" : `M${r(p.x)} ${r(p.low)}V${r(p.high)}`,
          )
          .join("")}
      />
      {[1, -1, 0, 2].map((lean) => {
        const { look, shape } = leaning(lean);
        const own = points.filter((p) => (contrast?.lean[p.index] ?? 2) === lean);
        return (
          <g key={lean} class={look}>
            <path
              class={markClass(shape)}
              d={own.map((p) => shapePath(shape, p.x, p.y, 4)).join("")}
            />
          </g>
        );
      })}
      {labels.map((label) => (
        <text
          key={label.index}
          class="t11 ink2 halo"
          x={label.x}
          y={label.y}
          text-anchor={label.anchor}
        >
          {fit(picture?.words[points[label.index]!.index] ?? "", 11, 110)}
        </text>
      ))}
    </g>
  );
});

const r = (v: number) => Math.round(v * 10) / 10;

/** Words farthest from the line, and those at the ends of both axes. */
function labelsOf(drawing: Drawing, picture: Picture | null, agreement: Agreement | null) {
  const { g, points } = drawing;
  if (!agreement || !picture) return [];
  const away = residuals(
    points.map((p) => p.x),
    points.map((p) => p.y),
    agreement.line_x.map(drawing.x),
    agreement.line_y.map(drawing.y),
  );
  const middle = points.reduce((sum, p) => sum + p.y, 0) / Math.max(1, points.length);
  const dots: Dot[] = points.map((p, i) => {
    const text = fit(picture.words[p.index]!, 11, 110);
    const weight = Math.max(Math.abs(away[i]!), 0.7 * Math.abs(p.y - middle));
    return { x: p.x, y: p.y, weight, text, width: textWidth(text, 11) };
  });
  const area = { left: g.left - 2, right: g.right + 8, top: g.top, bottom: g.bottom };
  return placeLabels(dots, area, Math.round(clamp(g.width / 45, 4, 10)));
}

function Line(props: { drawing: Drawing; agreement: Agreement; clip: string }) {
  const { drawing, agreement, clip } = props;
  const { x, y } = drawing;
  const at = (values: number[]) => values.map((v, i) => `${r(x(agreement.line_x[i]!))} ${r(y(v))}`);
  const { line_y: line, line_low: low, line_high: high } = agreement;
  if (line.length < 2) return null;
  const bounded = low.length === line.length && high.length === line.length;
  return (
    <g clip-path={`url(#${clip})`}>
      {bounded && (
        <path class="line-band" d={`M${[...at(high), ...at(low).reverse()].join("L")}Z`} />
      )}
      <path class="line" d={`M${at(line).join("L")}`} />
    </g>
  );
}

/** The hovered and the picked word, and what senses the pointer. */
function ScatterHand(props: Props & { store: Store; view: View }) {
  const { drawing, picture, contrast, measure, store, view } = props;
  const { g, points } = drawing;
  const near = (event: MouseEvent) => {
    const area = (event.currentTarget as Element).getBoundingClientRect();
    return nearest(points, event.clientX - area.left + g.left, event.clientY - area.top + g.top);
  };
  const { hovered } = view;
  const picked = picture?.words.indexOf(view.inputs.word) ?? -1;
  const mark = (index: number | null, look: string) => {
    const point = points.find((p) => p.index === index);
    if (!point || !picture || !contrast) return null;
    const text = fit(picture.words[point.index]!, 12, 150, true);
    const number = `${valueText(contrast[measure], point.index)} %`;
    const width = textWidth(`${text} ${number}`, 12, true) + 4;
    const right = point.x + 12 + width < g.right + 8;
    return (
      <g class={look}>
        <circle class="ring" cx={point.x} cy={point.y} r={8} />
        <rect
          class="label-ground"
          x={right ? point.x + 10 : point.x - 13 - width}
          y={point.y - 8}
          width={width + 4}
          height={16}
          rx={3}
        />
        <text
          class="t12 bold halo"
          x={point.x + (right ? 13 : -13)}
          y={point.y + 4}
          text-anchor={right ? "start" : "end"}
        >
          {text} <tspan class="ink2">{number}</tspan>
        </text>
      </g>
    );
  };
  const senses = {
    onPointerMove: (event: PointerEvent) => store.hover(near(event), "scatter"),
    onPointerLeave: () => store.hover(null),
    onClick: (event: MouseEvent) => {
      const index = near(event);
      if (index !== null) store.hold(index);
    },
  };
  return (
    <g data-screen-only="">
      {picked >= 0 && picked !== hovered && mark(picked, "picked-point")}
      {mark(hovered, hovered === picked ? "picked-point" : "hovered-point")}
      <rect
        class="hit"
        x={g.left}
        y={g.top}
        width={g.right - g.left}
        height={g.bottom - g.top}
        {...senses}
      />
    </g>
  );
}

/** How far the pointer may be from a point to mean it. */
const REACH = 24;

export function nearest(points: Drawing["points"], x: number, y: number): number | null {
  let best: number | null = null;
  let least = REACH ** 2;
  for (const p of points) {
    const d = (p.x - x) ** 2 + (p.y - y) ** 2;
    if (d < least) {
      least = d;
      best = p.index;
    }
  }
  return best;
}
