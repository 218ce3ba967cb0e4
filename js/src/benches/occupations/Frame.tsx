import type { Contrast, Picture } from "../../generated/occupations";
import { Mark, type Shape } from "../../lib/chart/marks";
import { Grid, Neutral, Numbers } from "../../lib/chart/ValueAxis";
import { memo } from "../../lib/memo";
import { clamp, type Scale } from "../../lib/scale";
import { fit, textWidth, within } from "../../lib/textwidth";
import { type Axis, type Geometry, geometry } from "./layout";
import { wordRow } from "./Row";
import type { Inputs } from "./store";

export const HEAD = 42;
export const FOOT = 50;
/** Baseline of the names of the columns. */
const COLUMNS = HEAD - 11;

interface Props {
  g: Geometry;
  scales: Scale[];
  axis: Axis;
  measure: "pse" | "jnd";
  /** The two groups of each plot. */
  names: [string, string][];
}

interface HeadProps extends Props {
  level: number;
  ranked: boolean;
  /** What 50 % stands for. */
  middle: string;
}

/** Names of the columns of numbers. */
const headsOf = (measure: "pse" | "jnd", level: number) => [
  measure.toUpperCase(),
  `${Math.round(level * 100)} %`,
];

/** Where everything stands for the words of a picture. */
export const geometryOf = (
  width: number,
  picture: Picture | null,
  contrasts: readonly Contrast[],
  measure: "pse" | "jnd",
  level: number,
) =>
  geometry(
    width,
    Math.max(1, contrasts.length),
    picture?.words.map((_, i) => wordRow(picture, contrasts, measure, i)) ?? [],
    headsOf(measure, level),
  );

/** Over the rows: names of the columns, the neutral value, and which side means what. */
export const RowsHead = memo(function RowsHead(props: HeadProps) {
  const { g, scales, axis, measure, names, level, ranked, middle } = props;
  return (
    <g>
      <text class="t11 ink3" x={g.nameRight} y={COLUMNS} text-anchor="end">
        word
      </text>
      {scales.map((x, i) => (
        <PlotHead
          key={i}
          x={x}
          axis={axis}
          names={names[i] ?? ["group 1", "group 2"]}
          small={scales.length > 1}
          width={g.width}
          called={middle}
        />
      ))}
      {g.ranking === null
        ? headsOf(measure, level).map((head, k) => (
            <text key={k} class="t11 ink3" x={g.numbers[k]} y={COLUMNS} text-anchor="end">
              {head}
            </text>
          ))
        : ranked && (
            <>
              <text class="t11 ink3" x={g.ranking} y={COLUMNS}>
                first
              </text>
              <text class="t11 ink3" x={g.width - 2} y={COLUMNS} text-anchor="end">
                %
              </text>
            </>
          )}
    </g>
  );
});

interface PlotProps {
  x: Scale;
  axis: Axis;
  names: [string, string];
  small: boolean;
  width: number;
  called: string;
}

function PlotHead({ x, axis, names, small, width, called }: PlotProps) {
  if (axis.neutral === null) {
    const ends = small ? ["more certain", ""] : ["more certain", "less certain"];
    return <Ends x={x} ends={ends} look="ink3" arrows />;
  }
  const [one, two] = names;
  const leaning = [`leans ${two}`, `leans ${one}`];
  const wide = leaning.reduce((sum, text) => sum + textWidth(text, 11, true), 40);
  const ends = small || wide > x.range[1] - x.range[0] ? [two, one] : leaning;
  return (
    <>
      <Ends x={x} ends={ends} look="bold" arrows={!small} />
      <Neutral
        x={x}
        at={axis.neutral}
        label={small ? "50" : `${called} 50 %`}
        top={HEAD}
        bottom={HEAD}
        width={width}
      />
    </>
  );
}

interface EndsProps {
  x: Scale;
  ends: readonly string[];
  look: string;
  arrows: boolean;
}

/** What lies toward both ends of an axis; a short text leaves its room to the other. */
function Ends({ x, ends, look, arrows }: EndsProps) {
  const [left, right] = x.range;
  const arrow = arrows ? 16 : 0;
  const room = right - left + 10;
  const [low, high] = ends.map((text, i) => {
    const other = textWidth(ends[1 - i]!, 11, true) + arrow + 8;
    return fit(text, 11, Math.max(room / 2 - 6, room - other) - arrow, true);
  });
  return (
    <>
      <text class={`t11 ${look} fg2`} x={left - 5} y={14}>
        {arrows && "← "}
        {low}
      </text>
      <text class={`t11 ${look} fg1`} x={right + 5} y={14} text-anchor="end">
        {high}
        {arrows && high && " →"}
      </text>
    </>
  );
}

/** Lines behind the rows, over all their height. */
export const RowsGrid = memo(function RowsGrid(props: {
  scales: Scale[];
  axis: Axis;
  height: number;
}) {
  const { scales, axis, height } = props;
  return (
    <g>
      {scales.map((x, i) => (
        <g key={i}>
          <Grid x={x} ticks={axis.ticks} neutral={axis.neutral} top={0} bottom={height} />
          {axis.neutral !== null && <path class="neutral" d={`M${x(axis.neutral)} 0V${height}`} />}
        </g>
      ))}
    </g>
  );
});

/** Under the rows: the axis, what it is, and what the marks mean. */
export const RowsFoot = memo(function RowsFoot(props: Props & { jnd: string; marks: Marks }) {
  const { g, scales, axis, measure, names, jnd, marks } = props;
  const several = scales.length > 1;
  const shown = axis.ticks.filter((t) => !several || t === axis.neutral || axis.ticks.length <= 3);
  const middle = (scales[0]!.range[0] + scales.at(-1)!.range[1]) / 2;
  const name = several
    ? measure === "pse"
      ? "PSE: % of the second group at the switch"
      : `JND, ${jnd || "%"}`
    : measure === "pse"
      ? `PSE: % ${names[0]?.[1] ?? "group 2"} at the switch`
      : `JND, % of the spectrum${jnd ? ` (${jnd})` : ""}`;
  const [left, right] = [g.plots[0]!.left, g.plots.at(-1)!.right];
  const caption = fit(name, 12, Math.max(right - left, g.narrow ? g.width - 12 : 0));
  return (
    <g>
      {scales.map((x, i) => (
        <Numbers key={i} x={x} ticks={shown} neutral={axis.neutral} y={-2} text={percent} />
      ))}
      <text
        class="t12 ink2"
        x={within(middle, caption, 12, g.width, 6)}
        y={31}
        text-anchor="middle"
      >
        {caption}
      </text>
      <Legend g={g} marks={marks} pse={measure === "pse"} />
    </g>
  );
});

const percent = (t: number) => String(Math.round(t * 1000) / 10);

/** Which marks there are, so that only those are explained. */
export interface Marks {
  pooled: boolean;
  /** Some words have an interval, some have none. */
  told: boolean;
  untold: boolean;
  /** Leans are judged for all words at once: an interval alone does not say which are clear. */
  corrected: boolean;
}

export function marksIn(contrasts: readonly Contrast[], adjust: Inputs["adjust"]): Marks {
  const [first] = contrasts;
  const leans = first?.lean ?? [0];
  return {
    pooled: (first?.pairs.length ?? 2) > 1,
    told: leans.some((lean) => lean !== 2),
    untold: leans.some((lean) => lean === 2),
    corrected: adjust !== "none",
  };
}

/** From the middle of a mark to its text. */
const MARK = 9;

function Legend({ g, marks, pse }: { g: Geometry; marks: Marks; pse: boolean }) {
  const y = 45;
  const { pooled, told, untold, corrected } = marks;
  const shown: [Shape, string, number?][] = [];
  const clear = !pse ? "with the pairs’ spread" : corrected ? "clear lean" : "excludes 50";
  const unclear = corrected ? "no clear lean" : pse ? "includes 50" : "PSE includes 50";
  if (pooled) shown.push(["ring", "one cue pair", 2]);
  if (told && (pooled || pse)) {
    shown.push(["circle", pooled && !g.narrow ? `pooled, ${clear}` : clear]);
  }
  if (told) shown.push(["hollow", unclear]);
  if (untold && !g.narrow) shown.push(["ring", "no interval"]);
  // Where letters are wide, less room stays between the marks.
  const texts = shown.reduce((sum, [, text]) => sum + textWidth(text, 11) + MARK, 0);
  const gap = clamp((g.width - MARK - texts) / Math.max(1, shown.length - 1), 6, 19);
  const widths = shown.map(([, text]) => textWidth(text, 11) + MARK + gap);
  let x = Math.max(MARK, (g.width - texts - gap * shown.length) / 2);
  return (
    <g class="side-0" data-testid="legend">
      {shown.map(([shape, text, size = 3.5], i) => {
        const at = x;
        x += widths[i]!;
        return (
          <g key={text} transform={`translate(${at} ${y})`}>
            <Mark x={0} y={0} shape={shape} size={size} />
            <text class="t11 ink3" x={MARK} y={3.5}>
              {fit(text, 11, g.width - at - MARK)}
            </text>
          </g>
        );
      })}
    </g>
  );
}
