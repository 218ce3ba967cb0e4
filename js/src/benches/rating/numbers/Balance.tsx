import { useRef } from "preact/hooks";
import type { Balance as Found } from "../../../generated/rating";
import { Spans } from "../../../lib/bench/Verdict";
import { percent, percentRange, points } from "../../../lib/format";
import { useWidth } from "../../../lib/hooks";
import { px } from "../../../lib/marks";
import { memo } from "../../../lib/memo";
import { clamp } from "../../../lib/scale";
import type { View } from "../store";
import { Axes } from "./Axes";
import { type Chart, chartOf, lineOf } from "./chart";

const HIGH = 176;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** The share in the input at which the output is balanced: a psychometric curve. */
export function Balance({ view }: { view: View }) {
  const place = useRef<HTMLDivElement>(null);
  const width = Math.min(useWidth(place, 300), 420);
  const { balance, title } = view.detail;
  return (
    <section class="side-part" aria-label="Balance point">
      <h2>Balance point{balance && title ? `, ${title}` : ""}</h2>
      <div ref={place} class="balance-place">
        {balance ? (
          <BalanceChart balance={balance} width={width} />
        ) : (
          <p class="quiet side-note">
            The share in the input at which the output is balanced stands here, where both values
            come back.
          </p>
        )}
      </div>
      <p class="side-note" data-testid="balance-verdict">
        <Spans spans={balance?.verdict ?? []} />
      </p>
    </section>
  );
}

const BalanceChart = memo(({ balance, width }: { balance: Found; width: number }) => {
  const { alphas, curve, values, pse, interval, jnd } = balance;
  const chart = chartOf(width, [0, 1], 12, HIGH);
  const second = values[1].toLowerCase();
  const drawn = alphas.flatMap((alpha, i): [number, number][] => {
    const share = curve[i];
    return share === undefined ? [] : [[alpha, share]];
  });
  return (
    <svg
      class="drawing balance"
      width={width}
      height={HIGH}
      role="img"
      aria-label={balanceSaid(balance)}
      data-testid="balance"
      data-pse={pse ?? ""}
      data-jnd={jnd ?? ""}
      data-low={interval?.[0]}
      data-high={interval?.[1]}
    >
      <Axes
        chart={chart}
        shares={[0, 0.5, 1]}
        neutral={0.5}
        ticks={TICKS}
        text={(v) => points(v)}
        title={`${second} in the input, %`}
      />
      <text class="t11 ink2" x={0} y={8}>
        {second} in the output, %
      </text>
      <path class="dotted" d={`M${px(chart.x(0.5))} ${chart.top}V${chart.bottom}`} />
      <path class="curve" d={lineOf(drawn, chart)} />
      {balance.points.map(([alpha, share], i) => (
        <circle
          key={i}
          class="point-mark"
          cx={px(chart.x(alpha))}
          cy={px(chart.y(share))}
          r={3.5}
          data-testid="balance-point"
        />
      ))}
      {pse !== null && <Pse chart={chart} pse={pse} interval={interval} />}
    </svg>
  );
});

interface PseProps {
  chart: Chart;
  pse: number;
  interval: Found["interval"];
}

function Pse({ chart, pse, interval }: PseProps) {
  const { x, y } = chart;
  if (pse < 0 || pse > 1) return null;
  const at = x(pse);
  const left = at > (chart.left + chart.right) / 2;
  return (
    <g>
      {interval && (
        <path
          class="whisker"
          d={`M${px(x(clamp(interval[0], 0, 1)))} ${px(y(0.5))}H${px(x(clamp(interval[1], 0, 1)))}`}
        />
      )}
      <circle class="pse-mark" cx={px(at)} cy={px(y(0.5))} r={5} />
      <text
        class="t12 bold halo"
        x={px(at + (left ? -10 : 10))}
        y={px(y(0.5) + 17)}
        text-anchor={left ? "end" : "start"}
      >
        PSE {percent(pse)}
      </text>
    </g>
  );
}

function balanceSaid({ values, pse, interval, jnd }: Found): string {
  if (pse === null) return "There is no share at which the output is balanced.";
  const range = interval ? `, ${percentRange(interval).replace("–", " to ")}` : "";
  const width = jnd === null ? "" : `; JND ${points(jnd, 1)} points`;
  return `Balanced at ${percent(pse)} ${values[1].toLowerCase()} in the input${range}${width}`;
}
