import { fixed } from "../format";
import { px } from "../marks";
import { clamp, type Scale } from "../scale";
import { textWidth } from "../textwidth";

interface NumbersProps {
  x: Scale;
  ticks: readonly number[];
  neutral: number | null;
  /** Of the end of what they stand under. */
  y: number;
  /** What is measured. */
  title?: string;
  /** How a value is written; by default with the decimals that tell all of them apart. */
  text?: (value: number) => string;
}

/** Numbers under an axis. */
export function Numbers({ x, ticks, neutral, y, title, text }: NumbersProps) {
  const digits = [0, 1].find((n) => ticks.every((t) => isWhole(t * 10 ** n))) ?? 2;
  return (
    <>
      {ticks.map((t) => (
        <text
          key={t}
          class={`t11 ${t === neutral ? "bold" : "ink2"}`}
          x={px(x(t))}
          y={y + 16}
          text-anchor="middle"
        >
          {text ? text(t) : fixed(t, t === 0 ? 0 : digits)}
        </text>
      ))}
      {title && (
        <text class="t11 ink2" x={(x.range[0] + x.range[1]) / 2} y={y + 33} text-anchor="middle">
          {title}
        </text>
      )}
    </>
  );
}

const isWhole = (value: number) => Math.abs(value - Math.round(value)) < 1e-9;

interface NeutralProps {
  x: Scale;
  at: number | null;
  label: string;
  /** Of the rows. */
  top: number;
  bottom: number;
  /** Of the drawing. */
  width: number;
}

/** The line of the value that means nothing, and its name over it. */
export function Neutral({ x, at, label, top, bottom, width }: NeutralProps) {
  if (at === null) return null;
  const half = textWidth(label, 11, true) / 2;
  return (
    <>
      <path class="neutral" d={`M${px(x(at))} ${top - 6}V${bottom}`} />
      <text
        class="t11 bold"
        x={px(clamp(x(at), half, width - half))}
        y={top - 11}
        text-anchor="middle"
        data-testid="neutral"
      >
        {label}
      </text>
    </>
  );
}

type GridProps = Pick<NumbersProps, "x" | "ticks" | "neutral"> &
  Pick<NeutralProps, "top" | "bottom">;

/** Lines behind rows. */
export const Grid = ({ x, ticks, neutral, top, bottom }: GridProps) => (
  <path
    class="grid"
    d={ticks
      .filter((t) => t !== neutral)
      .map((t) => `M${px(x(t))} ${top}V${bottom}`)
      .join("")}
  />
);

type Props = Omit<NumbersProps, "y"> & Omit<NeutralProps, "at">;

/** Lines behind rows, the name of the neutral value over its line, and numbers below. */
export function ValueAxis(props: Props) {
  return (
    <g>
      <Grid {...props} />
      <Neutral {...props} at={props.neutral} />
      <Numbers {...props} y={props.bottom} />
    </g>
  );
}
