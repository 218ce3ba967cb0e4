import type { Groups, WordRow, Words } from "../../generated/posterior";
import { fixed } from "../../lib/format";
import { px, tickPath } from "../../lib/marks";
import { memo } from "../../lib/memo";
import type { Scale } from "../../lib/scale";
import { fit, textWidth } from "../../lib/textwidth";
import { distanceText } from "./texts";
import {
  GROUP,
  groupsHeight,
  groupTop,
  HEAD,
  rowMiddle,
  type WordGeometry,
  type WordRows,
} from "./wordRows";

interface Props {
  words: Words | null;
  rows: WordRows;
  g: WordGeometry;
  x: Scale;
  picked: string;
}

/** Round where the lexicon says positive, square where negative, a ring where it says nothing. */
export const tone = (polarity: number | null) =>
  polarity === null || polarity === 0 ? 0 : polarity > 0 ? 1 : 2;

export function WordMark({
  x,
  y,
  polarity,
  size = 3.6,
}: {
  x: number;
  y: number;
  polarity: number | null;
  size?: number;
}) {
  const of = tone(polarity);
  return of === 2 ? (
    <rect class="mark tone-2" x={x - size} y={y - size} width={2 * size} height={2 * size} />
  ) : (
    <circle class={`mark tone-${of}`} cx={x} cy={y} r={size} />
  );
}

/** The neutral distance, which has its place before there is any word. */
export const neutralText = (neutral: number) =>
  neutral === 0.5
    ? "orthogonal 0.5"
    : neutral === 1
      ? "orthogonal 1.0"
      : `neutral ${fixed(neutral, 2)}`;

export const WordRowsBody = memo(function WordRowsBody({ words, rows, g, x, picked }: Props) {
  const neutral = words ? words.neutral : 0.5;
  const at = neutral === null ? null : x(neutral);
  const label = neutral === null ? "" : neutralText(neutral);
  const half = textWidth(label, 11, true) / 2;
  return (
    <g>
      {at !== null && (
        <text
          class="t11 bold"
          x={Math.min(Math.max(at, half), g.right - 4 - half)}
          y={12}
          text-anchor="middle"
          data-testid="neutral"
        >
          {label}
        </text>
      )}
      <text class="t11 ink3" x={g.width - 1} y={12} text-anchor="end">
        distance
      </text>
      <g transform={`translate(0 ${HEAD})`}>
        {at !== null && <path class="neutral" d={`M${px(at)} -6V${rows.height}`} />}
        {rows.parts.map(({ text, top }) => (
          <text key={text} class="t11 ink2" x={0} y={rowMiddle(top) + 4}>
            {text}
          </text>
        ))}
        {rows.rows.map(({ row, top, part }) => (
          <OneWord
            key={`${part} ${row.word}`}
            row={row}
            y={rowMiddle(top)}
            g={g}
            x={x}
            bold={row.word === picked}
          />
        ))}
      </g>
    </g>
  );
});

interface OneProps {
  row: WordRow;
  y: number;
  g: WordGeometry;
  x: Scale;
  bold: boolean;
}

function OneWord({ row, y, g, x, bold }: OneProps) {
  return (
    <g
      data-testid="word-mark"
      data-word={row.word}
      data-distance={row.distance}
      data-low={row.low}
      data-high={row.high}
      data-rank={row.rank}
    >
      <text class={`t12 ${bold ? "bold" : ""}`} x={g.nameRight} y={y + 4} text-anchor="end">
        {fit(row.word, 12, g.nameWidth, bold)}
      </text>
      <path class="interval" d={`M${px(x(row.low))} ${y}H${px(x(row.high))}`} />
      <WordMark x={px(x(row.distance))} y={y} polarity={row.polarity} />
      <text class="t12 ink2" x={g.width - 1} y={y + 4} text-anchor="end">
        {distanceText(row)}
      </text>
    </g>
  );
}

interface GroupsProps {
  groups: Groups | null;
  words: Words | null;
  g: WordGeometry;
  x: Scale;
}

/** A strip of ticks for each group, its mean and interval on them. */
export const GroupsBody = memo(function GroupsBody({ groups, words, g, x }: GroupsProps) {
  const neutral = words ? words.neutral : 0.5;
  const height = groupsHeight(groups?.rows.length ?? 0);
  return (
    <g>
      {neutral !== null && <path class="neutral" d={`M${px(x(neutral))} 0V${height}`} />}
      {groups?.rows.map((group, i) => {
        const y = groupTop(i) + GROUP / 2 - 4;
        const [middle, size] = [px(x(group.mean)), 4.5];
        return (
          <g
            key={group.name}
            class={i === 0 ? "group-1" : "group-2"}
            data-testid="group"
            data-name={group.name}
            data-mean={group.mean}
            data-low={group.low}
            data-high={group.high}
          >
            <text class="t12 bold" x={g.nameRight} y={y + 4} text-anchor="end">
              {fit(`${group.name}, ${group.members.length}`, 12, g.nameRight - 2, true)}
            </text>
            <path
              class="member"
              d={tickPath(
                group.members.map((m) => x(m.distance)),
                y,
                14,
              )}
            />
            <path class="group-interval" d={`M${px(x(group.low))} ${y}H${px(x(group.high))}`} />
            {i === 0 ? (
              <circle class="mark" cx={middle} cy={y} r={size} />
            ) : (
              <rect
                class="mark"
                x={middle - size}
                y={y - size}
                width={2 * size}
                height={2 * size}
              />
            )}
            <text class="t12 ink2" x={g.width - 1} y={y + 4} text-anchor="end">
              {fixed(group.mean, 4)}
            </text>
          </g>
        );
      })}
    </g>
  );
});
