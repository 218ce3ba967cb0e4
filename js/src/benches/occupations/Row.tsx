import type { Contrast, Measure, Picture, Ranking } from "../../generated/occupations";
import { ForestRow, type Row as RowOf } from "../../lib/chart/Forest";
import { beyondPath, leaning, pointsPath, type RowMark } from "../../lib/chart/marks";
import { memo } from "../../lib/memo";
import type { Scale } from "../../lib/scale";
import { fit } from "../../lib/textwidth";
import { type Geometry, ROW } from "./layout";
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
  const row = wordRow(picture, contrasts, measure, index, scales);
  const interval = first ? intervalOf(first[measure], index) : null;
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
      <ForestRow columns={g} x={scales[0]!} row={{ ...row, bold: look !== "" }} />
      {g.ranking !== null && <Place g={g} picture={picture} ranking={ranking} index={index} />}
    </g>
  );
});

/** A word's row: its estimates, each on its own scale, and the numbers of the only one. */
export function wordRow(
  picture: Picture,
  contrasts: readonly Contrast[],
  measure: "pse" | "jnd",
  index: number,
  scales: readonly Scale[] = [],
): RowOf {
  const marks = contrasts.map((contrast, i): RowMark => {
    const [of, x] = [contrast[measure], scales[i]];
    return {
      value: of.value[index] ?? null,
      low: of.low[index] ?? null,
      high: of.high[index] ?? null,
      x,
      behind: x && <Pairs of={of} index={index} x={x} />,
      ...leaning(contrast.lean[index] ?? 2),
      texts: contrasts.length > 1 ? [] : [valueText(of, index), rangeText(of, index)],
    };
  });
  return { name: picture.words[index]!, y: ROW / 2, marks };
}

/** Values of the cue pairs, and triangles where one of them or the word's own lies beyond the axis. */
function Pairs({ of, index, x }: { of: Measure; index: number; x: Scale }) {
  const pairs = of.points[index] ?? [];
  const y = ROW / 2;
  return (
    <>
      {pairs.length > 1 && <path class="points" d={pointsPath(pairs, x, y)} />}
      <path class="beyond" d={beyondPath([...pairs, of.value[index] ?? null], x, y)} />
    </>
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
      <text class="t12 ink2" x={g.width - 2} y={ROW / 2 + 4} text-anchor="end">
        {number}
      </text>
    </g>
  );
}
