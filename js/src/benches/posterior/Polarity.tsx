import { useRef } from "preact/hooks";
import type { Correlation } from "../../generated/posterior";
import { Ghost } from "../../lib/bench/Ghost";
import { fixed } from "../../lib/format";
import { useFont, useWidth } from "../../lib/hooks";
import { px } from "../../lib/marks";
import { memo } from "../../lib/memo";
import { linear } from "../../lib/scale";
import { fit } from "../../lib/textwidth";
import type { Tones } from "./PlaneView";
import type { View } from "./store";
import { signed, whole } from "./texts";

const HEAD = 20;
const ROW = 24;
export const polarityHeight = (n: number) => HEAD + ROW * Math.max(2, n) + 4;

/** Whether distance follows the lexicon's polarity: a correlation for each label. */
export function Polarity({ view, tones, stale }: { view: View; tones: Tones; stale: boolean }) {
  const { picture } = view.answer;
  const found = picture?.correlations ?? [];
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 420);
  useFont(box);
  return (
    <section class={`panel ${stale ? "stale" : ""}`} aria-label="Distance and polarity">
      <header class="panel-head">
        <h2>Distance against polarity</h2>
      </header>
      <div ref={box}>
        <svg
          class="drawing"
          width={width}
          height={polarityHeight(found.length)}
          role="img"
          aria-label={found.map(said).join("; ") || "No correlation yet"}
          data-testid="correlations"
        >
          <PolarityBody found={found} width={width} tones={tones} />
        </svg>
      </div>
      <p class="under held" data-testid="polarity-text">
        <span class="in">
          Below 0: words that lie closer to the label are more positive in the lexicon
          {picture?.words?.lexicon ? ` (${picture.words.lexicon})` : ""}.
        </span>
        <Ghost look="in" count={90} />
      </p>
    </section>
  );
}

const said = ({ label, pearson, low, high, n }: Correlation) =>
  `${label}: r ${fixed(pearson, 2)}, ${fixed(low, 2)} to ${fixed(high, 2)}, ${whole(n)} words`;

interface BodyProps {
  found: readonly Correlation[];
  width: number;
  tones: Tones;
}

export const PolarityBody = memo(function PolarityBody({ found, width, tones }: BodyProps) {
  const reach = Math.max(0.5, ...found.flatMap((c) => [Math.abs(c.low), Math.abs(c.high)])) * 1.05;
  const x = linear([-reach, reach], [96, Math.max(width - 150, 160)]);
  return (
    <g>
      <text class="t11 bold" x={x(0)} y={12} text-anchor="middle">
        unrelated 0
      </text>
      <path class="neutral" d={`M${px(x(0))} ${HEAD - 2}V${polarityHeight(found.length) - 2}`} />
      {found.map((one, i) => {
        const { label, pearson, low, high, n } = one;
        const y = HEAD + ROW * (i + 0.5);
        const tone = tones[label] ?? 1;
        return (
          <g
            key={label}
            data-testid="correlation"
            data-label={label}
            data-value={pearson}
            data-low={low}
            data-high={high}
            data-n={n}
          >
            <text class={`t12 bold label-name tone-${tone}`} x={86} y={y + 4} text-anchor="end">
              {fit(label, 12, 84, true)}
            </text>
            <path class="interval" d={`M${px(x(low))} ${y}H${px(x(high))}`} />
            {tone === 2 ? (
              <rect class="mark tone-2" x={x(pearson) - 4} y={y - 4} width={8} height={8} />
            ) : (
              <circle class="mark tone-1" cx={x(pearson)} cy={y} r={4} />
            )}
            <text class="t12" x={width - 1} y={y + 4} text-anchor="end">
              {signed(pearson, 2)}
              <tspan class="ink2">
                {" "}
                ({fixed(low, 2)} to {fixed(high, 2)})
              </tspan>
            </text>
          </g>
        );
      })}
    </g>
  );
});
