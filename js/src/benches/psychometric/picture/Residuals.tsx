import type { Picture } from "../../../generated/psychometric";
import { predictedPath } from "../../../lib/curvefit";
import { points } from "../../../lib/format";
import { memo } from "../../../lib/memo";
import { linear, type Scale } from "../../../lib/scale";
import { fit as fitText, textWidth, wrap } from "../../../lib/textwidth";
import { type Geometry, LEVEL_GAP } from "../layout";
import { bands, described, reachOf, type Strip } from "./strip";

interface Props {
  id: string;
  g: Geometry;
  x: Scale;
  picture: Picture;
}

/** The predictive band as two broken lines, to set it apart from the curve's own band. */
export const Predicted = memo(function Predicted({ id, g, x, picture }: Props) {
  const { fit, levels, curve } = picture;
  const d = predictedPath(fit, levels.alpha, curve, x, linear([0, 1], [g.bottom, g.top]));
  return d ? (
    <path class="predicted" clip-path={`url(#${id}-plot)`} data-testid="predicted" d={d} />
  ) : null;
});

/** Mean answers less the curve at each stimulus, over the interval expected of a right curve. */
export const Residuals = memo(function Residuals(props: Props & { strip: Strip }) {
  const { g, picture, strip } = props;
  const { fit } = picture;
  const room = g.width - g.left;
  if (!fit) {
    const empirical = picture.curve.alpha.length > 0 && picture.pse_at !== "none";
    const why = empirical
      ? "The empirical curve is the answers themselves: nothing to compare."
      : "No curve to compare with the answers.";
    return (
      <g data-testid="residuals">
        {wrap(why, 12, g.width).map((line, i) => (
          <text key={line} class="t12 ink2" x={0} y={strip.verdict[0]! + 16 * i}>
            {line}
          </text>
        ))}
      </g>
    );
  }
  const lines = g.narrow ? fit.verdict.split(": ") : [fit.verdict];
  const known = fit.expected.length > 0;
  const [own, next] = known ? bands(picture) : ["", ""];
  const title = "Mean answer less the curve, points";
  const shaded = known ? "shaded: 95 % lie here if the curve is right" : "one row: no interval";
  const level = `${Math.round(picture.interval_level * 100)} %`;
  const key = shaded.replace("95 %", level);
  return (
    <svg role="img" aria-label={described(picture)} data-testid="residuals">
      {lines.map((line, i) => (
        <text key={line} class={`t12 ${fit.describes ? "" : "bold"}`} x={0} y={strip.verdict[i]}>
          {line}
        </text>
      ))}
      {known && (
        <>
          <rect class="band" x={0} y={strip.legend[0] - 9} width={22} height={10} />
          <text class="t11 ink2" x={30} y={strip.legend[0]}>
            {fitText(own, 11, g.width - 30)}
          </text>
          <path class="predicted" d={predictedKey(strip.legend[1])} />
          <text class="t11 ink2" x={30} y={strip.legend[1]}>
            {fitText(next, 11, g.width - 30)}
          </text>
        </>
      )}
      <text class="t12 ink2" x={0} y={strip.title}>
        {title}
      </text>
      <text
        class="t11 ink3"
        x={g.narrow ? 0 : g.right}
        y={strip.title + (g.narrow ? 16 : 0)}
        text-anchor={g.narrow ? "start" : "end"}
      >
        {fitText(key, 11, room)}
      </text>
      <Plot {...props} />
    </svg>
  );
});

const predictedKey = (y: number) => `M0 ${y - 8}h22M0 ${y}h22`;

function Plot({ id, g, x, picture, strip }: Props & { strip: Strip }) {
  const fit = picture.fit!;
  const { alpha } = picture.levels;
  const reach = reachOf(fit);
  const y = linear([-reach, reach], [strip.bottom, strip.top]);
  const shown = alpha.map((a, i) => [a, i] as const).filter(([a]) => inside(a, x));
  const edge = (sign: 1 | -1) =>
    fit.expected.map((half, i) => `${x(alpha[i]!).toFixed(2)} ${y(sign * half).toFixed(2)}`);
  return (
    <>
      <clipPath id={`${id}-strip`}>
        <rect
          x={g.left - 4}
          y={strip.top - 4}
          width={g.right - g.left + 8}
          height={strip.bottom - strip.top + 8}
        />
      </clipPath>
      {[-1, 0, 1].map((part) => (
        <line
          key={part}
          class={part ? "tick" : "zero"}
          x1={g.left}
          x2={g.right}
          y1={y(part * reach)}
          y2={y(part * reach)}
        />
      ))}
      {[-1, 0, 1].map((part) => {
        const label = `${part > 0 ? "+" : ""}${points(part * reach)}`;
        return (
          <text
            key={part}
            class="t11 ink3"
            x={Math.max(g.left - LEVEL_GAP, textWidth(label, 11))}
            y={y(part * reach) + 4}
            text-anchor="end"
          >
            {label}
          </text>
        );
      })}
      <g clip-path={`url(#${id}-strip)`}>
        {fit.expected.length > 0 && (
          <path class="band" d={`M${edge(1).join("L")}L${edge(-1).reverse().join("L")}Z`} />
        )}
      </g>
      {shown.map(([a, i]) => {
        const residual = fit.residual[i]!;
        const beyond = Math.abs(residual) > (fit.expected[i] ?? Number.POSITIVE_INFINITY);
        return (
          <g key={a}>
            <line class="stem" x1={x(a)} x2={x(a)} y1={y(0)} y2={y(residual)} />
            <circle
              class={beyond ? "beyond" : "level"}
              data-testid="residual"
              data-value={residual}
              cx={x(a)}
              cy={y(residual)}
              r={beyond ? 3 : 2.5}
            />
          </g>
        );
      })}
    </>
  );
}

const inside = (alpha: number, x: Scale) => alpha >= x.domain[0] && alpha <= x.domain[1];
