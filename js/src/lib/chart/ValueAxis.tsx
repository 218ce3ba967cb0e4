import { fixed } from "../format";
import { px } from "../marks";
import { clamp, type Scale, tickStep, ticks } from "../scale";
import { textWidth } from "../textwidth";

/** Round values on an axis, counted from the neutral one, so that it is always among them. */
export function axisTicks(domain: readonly [number, number], neutral: number, room: number) {
  const [low, high] = domain;
  const step = tickStep(low, high, Math.max(2, Math.floor(room / 58)));
  return ticks(low - neutral, high - neutral, step).map((t) =>
    Number((t + neutral).toPrecision(12)),
  );
}

interface NumbersProps {
  x: Scale;
  ticks: readonly number[];
  neutral: number | null;
  /** Of the end of what they stand under. */
  y: number;
  /** What is measured. */
  title?: string | undefined;
}

/** Numbers under an axis, with the decimals that tell all of them apart. */
export function Numbers({ x, ticks, neutral, y, title }: NumbersProps) {
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
          {fixed(t, t === 0 ? 0 : digits)}
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

interface Props extends Omit<NumbersProps, "y" | "ticks"> {
  ticks?: readonly number[];
  /** Of the neutral value, over its line. */
  label: string;
  /** Of the rows. */
  top: number;
  bottom: number;
  /** Of the drawing. */
  width: number;
}

/** Lines behind rows, that of the neutral value in any case, and the numbers below. */
export function ValueAxis({ x, ticks = [], neutral, label, top, bottom, width, title }: Props) {
  const half = textWidth(label, 11, true) / 2;
  const lines = ticks.filter((t) => t !== neutral).map((t) => `M${px(x(t))} ${top}V${bottom}`);
  return (
    <g>
      <path class="grid" d={lines.join("")} />
      {neutral !== null && (
        <>
          <path class="neutral" d={`M${px(x(neutral))} ${top - 6}V${bottom}`} />
          <text
            class="t11 bold"
            x={px(clamp(x(neutral), half, width - half))}
            y={top - 11}
            text-anchor="middle"
            data-testid="neutral"
          >
            {label}
          </text>
        </>
      )}
      <Numbers x={x} ticks={ticks} neutral={neutral} y={bottom} title={title} />
    </g>
  );
}
