import { Numbers } from "../../lib/chart/ValueAxis";
import { px } from "../../lib/marks";
import { memo } from "../../lib/memo";
import { axisTicks, clamp, linear, type Scale } from "../../lib/scale";
import { textWidth } from "../../lib/textwidth";

export const HEIGHT = 226;
const TOP = 72;
const BOTTOM = 186;
/** Baseline of what is named on the axis; above it stand the texts of what was observed. */
const NAMES = TOP - 14;

export interface Line {
  value: number;
  look: "observed" | "ceiling";
  /** Ends of its interval, drawn on the axis. */
  ends?: [number | null, number | null];
  /** Text beside the line, a line of it each. */
  texts: string[];
}

interface Props {
  edges: number[];
  counts: number[];
  domain: [number, number];
  width: number;
  neutral: string;
  axis: string;
  lines: Line[];
  /** Whether a bin from one value to another counts as reached. */
  reached: (from: number, to: number) => boolean;
}

/** Bars over an axis with its neutral 0 and named lines. */
export const Histogram = memo(function Histogram(props: Props) {
  const { edges, counts, domain, width, neutral, axis, lines, reached } = props;
  const x = linear(domain, [10, width - 10]);
  const most = Math.max(1, ...counts);
  const shown = axisTicks(domain, 0, width - 20);
  const half = textWidth(neutral, 11, true) / 2;
  const crowded = lines.some(
    ({ look, value, texts: [text = ""] }) =>
      look === "ceiling" && Math.abs(x(value) - x(0)) < half + textWidth(text, 11) + 4,
  );
  const bars = (wanted: boolean) =>
    counts
      .map((count, i) => {
        const [from, to] = [edges[i]!, edges[i + 1]!];
        if (count === 0 || reached(from, to) !== wanted) return "";
        const [left, right] = [px(x(from)), px(x(to))];
        const gap = right - left > 4 ? 1 : 0;
        // A bar of few among many stays visible.
        const top = px(BOTTOM - Math.max(1.5, ((BOTTOM - TOP) * count) / most));
        return `M${left} ${BOTTOM}V${top}H${px(right - gap)}V${BOTTOM}Z`;
      })
      .join("");
  return (
    <g>
      <path class="bars" d={bars(false)} />
      <path class="bars reached" d={bars(true)} />
      <path class="axis-line" d={`M10 ${BOTTOM}H${width - 10}`} />
      <path class="neutral" d={`M${px(x(0))} ${TOP - 8}V${BOTTOM}`} />
      <text class="t11 bold" {...beside(x, 0, lines)} y={crowded ? NAMES - 14 : NAMES}>
        {neutral}
      </text>
      <Numbers x={x} ticks={shown} neutral={0} y={BOTTOM} title={axis} />
      {lines.map((line) => (
        <Marker key={`${line.look} ${line.value}`} line={line} lines={lines} x={x} width={width} />
      ))}
    </g>
  );
});

/** Where the name of a value stands, out of the way of an observed line beside it. */
export function beside(x: Scale, value: number, lines: readonly Line[]): Anchored {
  const middle = x(value);
  const near = lines.find((l) => l.look === "observed" && Math.abs(x(l.value) - middle) < 56);
  if (!near) return { x: middle, "text-anchor": "middle" };
  return near.value < value
    ? { x: Math.max(middle, x(near.value)) + 8, "text-anchor": "start" }
    : { x: Math.min(middle, x(near.value)) - 8, "text-anchor": "end" };
}

interface Anchored {
  x: number;
  "text-anchor": "start" | "middle" | "end";
}

/** A text beside a line, moved away from the edge of the drawing. */
const inside = ({ x, "text-anchor": anchor }: Anchored, text: number, width: number): Anchored => ({
  x: anchor === "start" ? Math.min(x, width - text) : anchor === "end" ? Math.max(x, text) : x,
  "text-anchor": anchor,
});

interface MarkerProps {
  line: Line;
  lines: readonly Line[];
  x: Scale;
  width: number;
}

function Marker({ line, lines, x, width }: MarkerProps) {
  const at = px(clamp(x(line.value), 4, width - 4));
  const right = at < width * 0.62;
  const observed = line.look === "observed";
  const named = beside(x, line.value, lines);
  const edge = at < 40 ? "start" : at > width - 40 ? "end" : "middle";
  const place: Anchored = observed
    ? { x: at + (right ? 7 : -7), "text-anchor": right ? "start" : "end" }
    : named["text-anchor"] === "middle"
      ? { x: at, "text-anchor": edge }
      : named;
  const top = observed ? 2 : TOP - 8;
  const [low, high] = line.ends ?? [null, null];
  return (
    <g>
      <path class={observed ? "observed" : "ceiling"} d={`M${at} ${top}V${BOTTOM}`} />
      {low !== null && high !== null && (
        <path class="outcome-line thick" d={`M${px(x(low))} ${BOTTOM}H${px(x(high))}`} />
      )}
      {line.texts.map((text, i) => (
        <text
          key={text}
          class={`halo ${i === 0 ? (observed ? "t12 bold outcome-text" : "t11 warn-text") : "t11 ink2"}`}
          {...(observed ? place : inside(place, textWidth(text, 11), width))}
          y={observed ? top + 10 + i * 15 : NAMES}
        >
          {text}
        </text>
      ))}
    </g>
  );
}
