import { useRef } from "preact/hooks";
import type { Correlation } from "../../generated/posterior";
import { Ghost } from "../../lib/bench/Ghost";
import { columnsFor, Forest, type Row } from "../../lib/chart/Forest";
import { Neutral } from "../../lib/chart/ValueAxis";
import { fixed } from "../../lib/format";
import { useFont, useWidth } from "../../lib/hooks";
import { memo } from "../../lib/memo";
import { linear } from "../../lib/scale";
import { Panel } from "./Panel";
import type { Tones } from "./PlaneView";
import type { View } from "./store";
import { signed, whole } from "./texts";

const HEAD = 20;
const ROW = 24;
export const polarityHeight = (n: number) => HEAD + ROW * Math.max(2, n) + 4;

/** Whether distance follows the lexicon's polarity: a correlation for each label. */
export function Polarity({ view, tones, stale }: { view: View; tones: Tones; stale: boolean }) {
  const { picture } = view.answer;
  const correlations = picture?.correlations ?? [];
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 420);
  useFont(box);
  return (
    <Panel title="Distance against polarity" label="Distance and polarity" stale={stale}>
      <div ref={box}>
        <svg
          class="drawing"
          width={width}
          height={polarityHeight(correlations.length)}
          role="img"
          aria-label={correlations.map(said).join("; ") || "No correlation yet"}
          data-testid="correlations"
        >
          <PolarityBody found={correlations} width={width} tones={tones} />
        </svg>
      </div>
      <p class="under held" data-testid="polarity-text">
        <span class="in">
          Below 0: words that lie closer to the label are more positive in the lexicon
          {picture?.words?.lexicon ? ` (${picture.words.lexicon})` : ""}.
        </span>
        <Ghost look="in" count={90} />
      </p>
    </Panel>
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
  const rows = found.map(({ label, pearson, low, high, n }, i): Row => {
    const tone = tones[label] ?? 1;
    const shape = tone === 2 ? "square" : "circle";
    const texts = [signed(pearson, 2), `${fixed(low, 2)} to ${fixed(high, 2)}`];
    const data = { testid: "correlation", label, value: pearson, low, high, n };
    return {
      name: label,
      y: HEAD + ROW * (i + 0.5),
      bold: true,
      look: `label-row tone-${tone}`,
      marks: [{ value: pearson, low, high, shape, texts, data }],
    };
  });
  const columns = columnsFor(width, rows, { least: 84, most: 84 });
  const x = linear([-reach, reach], [columns.left, columns.right]);
  return (
    <g>
      <Neutral
        x={x}
        at={0}
        label="unrelated 0"
        top={HEAD}
        bottom={polarityHeight(rows.length) - 2}
        width={width}
      />
      <Forest columns={columns} x={x} rows={rows} />
    </g>
  );
});
