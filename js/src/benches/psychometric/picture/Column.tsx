import type { Picture } from "../../../generated/psychometric";
import { count, percent } from "../../../lib/format";
import { memo } from "../../../lib/memo";
import { clamp } from "../../../lib/scale";
import { fit } from "../../../lib/textwidth";
import { answersAt, gradedShare, rowShare } from "../answers";
import { COLUMN_TITLE, type Geometry, rowBand, rowGap } from "../layout";
import type { Arranged } from "./arranged";

interface Props {
  g: Geometry;
  rows: Arranged;
  total: number;
  picture: Picture;
  alpha: number;
}

/** What each row answers at the stimulus, one block per row, beside its row. */
export const Column = memo(function Column({ g, rows, total, picture, alpha }: Props) {
  const n = Math.max(rows.order.length, Math.min(total, 544));
  const noise = picture.row_noise;
  const answers = answersAt(rows.all, noise, alpha, rows.graded);
  const gap = Math.max(rowGap((g.bottom - g.top) / n) * 1.5, 0);
  const shapes = ["", ""];
  rows.switches.forEach((s, i) => {
    const { y, h } = rowBand(g, i, n);
    // A noisy row is split in proportion, so that no colour is mixed that means neither group.
    const exact = noise > 0 ? rowShare(s, alpha, noise) : alpha > s ? 1 : 0;
    const second = rows.graded ? gradedShare(rows.graded, rows.order[i]!, alpha) : exact;
    const first = g.block * (1 - second);
    const bar = (at: number, width: number) =>
      width > 0.2 ? `M${px(at)} ${px(y + gap / 2)}h${px(width)}v${px(h - gap)}h${px(-width)}Z` : "";
    shapes[0] += bar(g.column, first);
    shapes[1] += bar(g.column + first, g.block - first);
  });
  const at = g.column + g.block + 7;
  const share = (rowCount: number) => (rowCount / Math.max(1, total)) * (g.bottom - g.top);
  const top = g.bottom - share(rows.all.length);
  // The numbers stand at the middle of their blocks, apart from each other and inside the plot.
  const edge = g.bottom - share(answers.cue2);
  const upper = clamp((top + edge) / 2, g.top + 14, g.bottom - 58);
  const lower = clamp((edge + g.bottom) / 2, upper + 40, g.bottom - 18);
  return (
    <g>
      {!g.narrow && (
        <>
          <text class="t11 ink2" x={g.column} y={13}>
            {COLUMN_TITLE}
          </text>
          <text class="t12 bold accent" x={g.column} y={28}>
            α = {percent(alpha)}
          </text>
        </>
      )}
      <path class="f1" d={shapes[0]} />
      <path class="f2" d={shapes[1]} />
      <Count at={at} y={upper} n={answers.cue1} name={picture.cue_1} group={1} g={g} />
      <Count at={at} y={lower} n={answers.cue2} name={picture.cue_2} group={2} g={g} />
    </g>
  );
});

interface CountProps {
  at: number;
  y: number;
  n: number;
  name: string;
  group: 1 | 2;
  g: Geometry;
}

const Count = ({ at, y, n, name, group, g }: CountProps) => (
  <g class={`fg${group}`}>
    <text class="t13 bold" x={at} y={y + 4} data-testid={`count-cue-${group}`} data-value={n}>
      {count(n)}
    </text>
    <text class="t11" x={at} y={y + 20}>
      {fit(name, 11, g.width - at)}
    </text>
  </g>
);

const px = (v: number) => Math.round(v * 100) / 100;
