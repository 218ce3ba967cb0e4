import type { Contrast, Picture, Ranking } from "../../generated/occupations";
import { memo } from "../../lib/memo";
import type { Scale } from "../../lib/scale";
import { fit } from "../../lib/textwidth";
import { type Geometry, ROW } from "./layout";
import { beyond, intervalLine, leanClass, pairPoints, shape } from "./marks";
import { intervalOf, placeTexts, rangeText, rowLabel, valueText } from "./texts";

interface Props {
  id: string;
  index: number;
  /** Its place among the rows shown, and how many those are. */
  place: number;
  total: number;
  y: number;
  g: Geometry;
  scales: Scale[];
  picture: Picture;
  contrasts: Contrast[];
  measure: "pse" | "jnd";
  look: string;
}

/** One word: its name, its cue pairs, the pooled value with its interval, and the numbers. */
export const Row = memo(function Row(props: Props) {
  const { id, index, place, total, y, g, scales, picture, contrasts, measure, look } = props;
  const [first] = contrasts;
  const held = look.includes("picked");
  const middle = ROW / 2;
  const interval = first ? intervalOf(first[measure], index) : null;
  const bold = look !== "";
  const ranking = g.ranking === null ? null : picture.ranking;
  return (
    <g
      id={id}
      class={`row ${look}`}
      role="option"
      aria-selected={held}
      aria-label={rowLabel(picture, contrasts, measure, index, ranking)}
      aria-posinset={place + 1}
      aria-setsize={total}
      transform={`translate(0 ${y})`}
      data-testid="row"
      data-index={index}
      data-word={picture.words[index]}
      data-value={first?.[measure].value[index] ?? undefined}
      data-low={interval?.[0]}
      data-high={interval?.[1]}
      data-lean={first?.lean[index]}
    >
      <rect class="band" width={g.width} height={ROW} />
      <text class="name t12" x={g.nameRight} y={middle + 4} text-anchor="end">
        {fit(picture.words[index]!, 12, g.nameWidth, bold)}
      </text>{" "}
      {contrasts.map((contrast, i) => (
        <Marks key={i} contrast={contrast} measure={measure} index={index} x={scales[i]!} />
      ))}
      {g.ranking === null ? (
        first && (
          <>
            <text class="t12 bold" x={g.valueRight} y={middle + 4} text-anchor="end">
              {valueText(first[measure], index)}
            </text>{" "}
            <text class="t12 ink2" x={g.rangeRight} y={middle + 4} text-anchor="end">
              {rangeText(first[measure], index)}
            </text>
          </>
        )
      ) : (
        <Place g={g} picture={picture} ranking={ranking} index={index} />
      )}
    </g>
  );
});

function Marks(props: { contrast: Contrast; measure: "pse" | "jnd"; index: number; x: Scale }) {
  const { contrast, index, x } = props;
  const measure = contrast[props.measure];
  const lean = contrast.lean[index] ?? 2;
  const value = measure.value[index];
  const pairs = measure.points[index] ?? [];
  const y = ROW / 2;
  const [low, high] = x.domain;
  const inside = typeof value === "number" && value >= low && value <= high;
  const outside = beyond([...pairs, value ?? null], x, y);
  return (
    <g class={leanClass(lean)}>
      {pairs.length > 1 && <path class="pairs" d={pairPoints(pairs, x, y)} />}
      <path class="interval" d={intervalLine(measure, index, x, y)} />
      {inside && <path class="mark" d={shape(lean, x(value), y)} />}
      {outside && <path class="beyond" d={outside} />}
    </g>
  );
}

/** Which of several groups comes first, in how many replicates, and which follow. */
function Place(props: { g: Geometry; picture: Picture; ranking: Ranking | null; index: number }) {
  const { g, picture, ranking, index } = props;
  const order = ranking?.order[index] ?? [];
  if (!ranking || order.length === 0) return null;
  const names = order.map((group) => picture.groups[group] ?? "");
  const [text, number] = placeTexts(picture, ranking, index);
  const room = g.width - g.ranking! - 34;
  return (
    <g data-testid="ranking">
      <title>{names.join(" › ")}</title>
      <text class="t12" x={g.ranking!} y={ROW / 2 + 4}>
        {fit(text, 12, room)}
      </text>{" "}
      <text class="t12 ink2" x={g.rangeRight} y={ROW / 2 + 4} text-anchor="end">
        {number}
      </text>
    </g>
  );
}
