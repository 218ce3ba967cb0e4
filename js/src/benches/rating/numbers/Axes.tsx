import { px } from "../../../lib/marks";
import type { Chart } from "./chart";

interface Props {
  chart: Chart;
  /** Shares that are labelled at the left. */
  shares: readonly number[];
  /** Of them the one that stands out. */
  neutral: number;
  ticks: readonly number[];
  /** How a tick is written. */
  text: (value: number) => string;
  title: string;
}

/** Lines and numbers of a small chart. */
export function Axes({ chart, shares, neutral, ticks, text, title }: Props) {
  const { x, y, left, right, bottom } = chart;
  return (
    <g>
      <path class="grid" d={shares.map((s) => `M${left} ${px(y(s))}H${right}`).join("")} />
      <path class="dotted" d={`M${left} ${px(y(neutral))}H${right}`} />
      {shares.map((s) => (
        <text
          key={s}
          class={s === neutral ? "t11 bold" : "t11 ink2"}
          x={left - 7}
          y={px(y(s) + 4)}
          text-anchor="end"
        >
          {Math.round(100 * s)}
        </text>
      ))}
      {ticks.map((value) => (
        <text key={value} class="t11 ink2" x={px(x(value))} y={bottom + 15} text-anchor="middle">
          {text(value)}
        </text>
      ))}
      <text class="t11 ink2" x={px((left + right) / 2)} y={bottom + 31} text-anchor="middle">
        {title}
      </text>
    </g>
  );
}
