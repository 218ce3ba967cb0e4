/** Both runs against outside numbers: A hollow, B filled. */
import { linear } from "../../lib/scale";
import { axisOver, type Comparison, digitsOf, written } from "./comparison";

const WIDTH = 300;
const HEIGHT = 180;
const LEFT = 34;
const BELOW = 20;

export function Outside({ found }: { found: Comparison }) {
  const rows = found.rows.filter((row) => row.outside !== null);
  if (rows.length === 0) return null;
  const x = axisOver(rows.map((row) => row.outside));
  const y = axisOver([found.neutral, ...rows.flatMap((row) => [row.a, row.b])]);
  const px = linear(x.domain, [LEFT, WIDTH - 6]);
  const py = linear(y.domain, [HEIGHT - BELOW, 6]);
  const digits = digitsOf(y.ticks, found.scale);
  return (
    <section class="panel outside">
      <h2>{found.outsideLabel}</h2>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`A and B against ${found.outsideLabel}`}
      >
        {y.ticks.map((tick) => (
          <g key={tick}>
            <line x1={LEFT} x2={WIDTH} y1={py(tick)} y2={py(tick)} class="grid" />
            <text x={LEFT - 6} y={py(tick) + 4} class="end">
              {written(tick, found.scale, Number.isInteger(tick * found.scale) ? 0 : digits)}
            </text>
          </g>
        ))}
        {x.ticks.map((tick) => (
          <text key={tick} x={px(tick)} y={HEIGHT - 4} class="middle">
            {written(tick, 1, Number.isInteger(tick) ? 0 : 2)}
          </text>
        ))}
        {rows.map((row) => (
          <g key={row.label}>
            <title>{row.label}</title>
            {row.a !== null && (
              <circle cx={px(row.outside ?? 0)} cy={py(row.a)} r="3.5" class="a" />
            )}
            {row.b !== null && (
              <circle cx={px(row.outside ?? 0)} cy={py(row.b)} r="2.5" class="b" />
            )}
          </g>
        ))}
      </svg>
      <p class="caveat">A hollow, B filled.</p>
    </section>
  );
}
