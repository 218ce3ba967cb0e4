import type { Weat } from "../../generated/association";
import { px, tickPath } from "../../lib/marks";
import { memo } from "../../lib/memo";
import { linear } from "../../lib/scale";
import { number } from "./texts";

const HEIGHT = 54;

/** The effect size between its ceilings, with its interval and the replicates of an ensemble. */
export const EffectSize = memo(function EffectSize({ weat, width }: { weat: Weat; width: number }) {
  const { ceiling, effect_size: size, low, high, replicates } = weat;
  const reach =
    1.06 * Math.max(ceiling, Math.abs(size ?? 0), Math.abs(low ?? 0), Math.abs(high ?? 0));
  const x = linear([-reach, reach], [10, width - 10]);
  const spread = replicates.length > 1;
  const y = spread ? 18 : 14;
  const least = Math.min(...replicates);
  const most = Math.max(...replicates);
  return (
    <svg
      class="drawing effect-strip"
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={`Effect size ${number(size)} between ceilings of ${number(ceiling)}`}
      data-testid="effect-strip"
      data-replicates={replicates.length}
    >
      <path class="axis-line" d={`M10 ${y}H${width - 10}`} />
      <path class="neutral" d={`M${px(x(0))} ${y - 9}V${y + 9}`} />
      {[-ceiling, ceiling].map((end) => (
        <g key={end}>
          <path class="ceiling" d={`M${px(x(end))} ${y - 9}V${y + 9}`} />
          <text
            class="t11 warn-text"
            x={px(x(end))}
            y={y + 22}
            text-anchor={end < 0 ? "start" : "end"}
          >
            {end < 0 ? number(end) : `ceiling ${number(end)}`}
          </text>
        </g>
      ))}
      {spread && (
        <g>
          <path
            class="replicates"
            d={tickPath(
              replicates.map((v) => x(v)),
              5,
              8,
            )}
          />
          <text class="t11 ink2" x={px(x(0))} y={y + 34} text-anchor="middle">
            {`${replicates.length} replicates, ${number(least)} to ${number(most)}`}
          </text>
        </g>
      )}
      {low !== null && high !== null && (
        <path class="outcome-line" d={`M${px(x(low))} ${y}H${px(x(high))}`} />
      )}
      {size !== null && <circle class="outcome" cx={px(x(size))} cy={y} r={4.5} />}
    </svg>
  );
});
