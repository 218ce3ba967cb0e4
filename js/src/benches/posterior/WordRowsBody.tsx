import type { Groups, Words } from "../../generated/posterior";
import { type Columns, Forest, type Row } from "../../lib/chart/Forest";
import { leaning } from "../../lib/chart/marks";
import { Neutral } from "../../lib/chart/ValueAxis";
import { fixed } from "../../lib/format";
import { px, tickPath } from "../../lib/marks";
import { memo } from "../../lib/memo";
import type { Scale } from "../../lib/scale";
import { GROUP, groupsHeight, groupTop, HEAD, type WordRows } from "./wordRows";

interface Props {
  words: Words | null;
  rows: WordRows;
  columns: Columns;
  x: Scale;
  picked: string;
}

/** The neutral distance, which has its place before there is any word. */
const neutralText = (neutral: number) =>
  neutral === 0.5
    ? "orthogonal 0.5"
    : neutral === 1
      ? "orthogonal 1.0"
      : `neutral ${fixed(neutral, 2)}`;

const neutralOf = (words: Words | null) => (words ? words.neutral : 0.5);

export const WordRowsBody = memo(function WordRowsBody({ words, rows, columns, x, picked }: Props) {
  const neutral = neutralOf(words);
  return (
    <g>
      <Neutral
        x={x}
        at={neutral}
        label={neutral === null ? "" : neutralText(neutral)}
        top={HEAD}
        bottom={HEAD + rows.height}
        width={columns.right}
      />
      {rows.parts.map(({ text, y }) => (
        <text key={text} class="t11 ink2" x={0} y={y + 4}>
          {text}
        </text>
      ))}
      <Forest
        columns={columns}
        x={x}
        rows={rows.rows.map((row) => ({ ...row, bold: row.name === picked }))}
        heads={["distance"]}
        top={HEAD}
      />
    </g>
  );
});

interface GroupsProps {
  groups: Groups | null;
  words: Words | null;
  columns: Columns;
  x: Scale;
}

/** A strip of ticks for each group, its mean and interval on them. */
export const GroupsBody = memo(function GroupsBody({ groups, words, columns, x }: GroupsProps) {
  const neutral = neutralOf(words);
  const rows = (groups?.rows ?? []).map(({ name, members, mean, low, high }, i): Row => {
    const { look, shape } = leaning(i === 0 ? 1 : -1);
    const data = { testid: "group", name, mean, low, high };
    return {
      name: `${name}, ${members.length}`,
      y: groupTop(i) + GROUP / 2 - 4,
      bold: true,
      look,
      marks: [{ value: mean, low, high, shape, size: 4.5, texts: [fixed(mean, 4)], data }],
    };
  });
  return (
    <g>
      {neutral !== null && (
        <path class="neutral" d={`M${px(x(neutral))} 0V${groupsHeight(rows.length)}`} />
      )}
      {groups?.rows.map(({ name, members }, i) => {
        const places = members.map((member) => x(member.distance));
        return (
          <path key={name} class={`member ${rows[i]!.look}`} d={tickPath(places, rows[i]!.y, 14)} />
        );
      })}
      <Forest columns={{ ...columns, nameWidth: columns.nameRight - 2 }} x={x} rows={rows} />
    </g>
  );
});
