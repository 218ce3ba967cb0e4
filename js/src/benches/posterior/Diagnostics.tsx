/** Small drawings of what the chains say of a quantity. */
import type { Quantity } from "../../generated/posterior";
import { px } from "../../lib/marks";
import { memo } from "../../lib/memo";
import { linear } from "../../lib/scale";
import { barPath, rhatHeight, rhatTop } from "./lines";
import { count, number, significant } from "./texts";

const HEIGHT = 44;
const LAGS = 24;

interface Props {
  quantity: Quantity;
  width: number;
}

/** Bars for each lag; those within the band could be noise. */
export const Autocorrelation = memo(function Autocorrelation({ quantity, width }: Props) {
  const { autocorrelation, bound } = quantity;
  const shown = autocorrelation.slice(0, LAGS);
  const x = linear([0, LAGS - 1], [3, width - 3]);
  const y = linear([-0.2, 1], [HEIGHT - 1, 2]);
  const lag1 = autocorrelation[1];
  return (
    <svg
      class="drawing"
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={
        lag1 === undefined
          ? "No autocorrelation yet"
          : `Autocorrelation: ${number(lag1, 2)} after one draw; within ${number(bound, 2)} of 0 it could be noise`
      }
      data-testid="autocorrelation"
      data-values={autocorrelation.join(" ")}
    >
      <AutocorrelationBody values={shown} bound={bound} width={width} x={x} y={y} />
    </svg>
  );
});

interface BodyProps {
  values: readonly number[];
  bound: number;
  width: number;
  x: ReturnType<typeof linear>;
  y: ReturnType<typeof linear>;
}

function AutocorrelationBody({ values, bound, width, x, y }: BodyProps) {
  const band = Math.min(bound, 0.2);
  return (
    <g>
      {values.length > 0 && (
        <rect class="noise" y={px(y(band))} width={width} height={px(y(-band) - y(band))} />
      )}
      <path class="zero" d={`M0 ${px(y(0))}H${width}`} />
      <path class="bars-line" d={barPath(values, x, y)} />
    </g>
  );
}

/** R-hat as the draws came in, and a line where it should be below. */
export const RhatPath = memo(function RhatPath({ quantity, width }: Props) {
  const { rhat, rhat_limit, rhat_path, rhat_draws } = quantity;
  const top = rhatTop(rhat_path);
  const y = (r: number) => px(HEIGHT - 3 - (HEIGHT - 8) * rhatHeight(r, top));
  const last = rhat_draws.at(-1) ?? 1;
  const x = (i: number) => px(3 + ((width - 8) * (rhat_draws[i] ?? i)) / Math.max(1, last));
  const shown = rhat_path.flatMap((r, i) => (Number.isFinite(r) ? [[x(i), y(r)] as const] : []));
  const end = shown.at(-1);
  return (
    <svg
      class="drawing"
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={rhat === null ? "No R-hat yet" : `R-hat came down to ${number(rhat, 3)}`}
      data-testid="rhat-path"
      data-values={rhat_path.join(" ")}
    >
      <path class="good" d={`M0 ${y(rhat_limit)}H${width}`} />
      {shown.length > 1 && (
        <path
          class="rhat-line"
          d={shown.map(([a, b], i) => `${i ? "L" : "M"}${a} ${b}`).join("")}
        />
      )}
      {end && (
        <circle
          class={`rhat-dot ${isLarge(quantity) ? "bad" : ""}`}
          cx={end[0]}
          cy={end[1]}
          r={2.8}
        />
      )}
    </svg>
  );
});

/** Heads of the numbers of a quantity. */
export const HEADS = ["R-hat", "ESS bulk", "tail", "MCSE"];

/** Its numbers as texts, in the order of their heads. */
export const cellsOf = (q: Quantity) => [
  number(q.rhat, 3),
  count(q.ess_bulk),
  count(q.ess_tail),
  significant(q.mcse),
];

export const isLarge = ({ rhat, rhat_limit }: Quantity) => rhat !== null && rhat >= rhat_limit;
