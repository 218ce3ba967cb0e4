import { type Columns, Forest } from "../../lib/chart/Forest";
import type { RowMark } from "../../lib/chart/marks";
import { ValueAxis } from "../../lib/chart/ValueAxis";
import { fixed } from "../../lib/format";
import { px } from "../../lib/marks";
import { memo } from "../../lib/memo";
import { axisTicks, type Scale } from "../../lib/scale";
import { fit, textWidth } from "../../lib/textwidth";
import { type Rows, WORD, type WordRow } from "./layout";

const NEUTRAL = 1;
const UNRELATED = "unrelated 1.0";

interface Props {
  columns: Columns;
  x: Scale;
  rows: Rows;
}

/** Words under the names of their groups, with hairlines between them; and what marks they have. */
export const Words = memo(function Words(
  props: Props & { marksOf?: (row: WordRow) => readonly RowMark[] },
) {
  const { columns, x, rows, marksOf } = props;
  const { left, right, width } = columns;
  const shown = rows.words.map((row) => (marksOf ? { ...row, marks: marksOf(row) } : row));
  return (
    <g>
      <path
        class="hair"
        d={rows.words.map(({ top }) => `M${left} ${top + WORD}H${right}`).join("")}
      />
      {rows.groups.map((group) => (
        <text key={group.top} class="t12 bold" x={0} y={group.top + 17}>
          {fit(group.name, 12, width - 8, true)}
        </text>
      ))}
      <Forest columns={columns} x={x} rows={shown} />
    </g>
  );
});

/** Distance 1, where nothing is related, between the ticks of the axis. */
export const Axis = memo(function Axis({ columns, x, rows, mac }: Props & { mac: number | null }) {
  const { left, right, width } = columns;
  return (
    <g>
      <ValueAxis
        x={x}
        ticks={axisTicks(x.domain, NEUTRAL, right - left)}
        neutral={NEUTRAL}
        label={mac === null ? UNRELATED : ""}
        top={0}
        bottom={rows.height}
        width={width}
        title="cosine distance"
      />
      {mac !== null && (
        <>
          <path class="mac-line" d={`M${px(x(mac))} -6V${rows.height}`} />
          <MacHead x={x} mac={mac} width={width} />
        </>
      )}
    </g>
  );
});

interface HeadProps {
  x: Scale;
  /** Mean of means, drawn on the same axis. */
  mac: number;
  width: number;
}

/** Over a plot: the neutral value, and the mean of means, neither over the other. */
function MacHead({ x, mac, width }: HeadProps) {
  const one = x(NEUTRAL);
  const wide = textWidth(UNRELATED, 11, true);
  const at = x(mac);
  const below = mac <= NEUTRAL;
  // Both names stand outward of their lines where the lines are close, within the drawing.
  const right = Math.min(one + wide / 2, width);
  const end = below
    ? Math.min(Math.max(right, at + 10 + wide), width)
    : Math.max(Math.min(right, at - 10), wide);
  const mean = below ? Math.min(at + 3, end - wide - 7) : Math.max(at - 3, end + 7);
  const long = `mean of means (MAC) ${fixed(mac, 2)}`;
  const room = below ? mean : width - mean;
  return (
    <>
      <text class="t11 bold" x={mean} y={-11} text-anchor={below ? "end" : "start"}>
        {textWidth(long, 11, true) > room - 1 ? `MAC ${fixed(mac, 2)}` : long}
      </text>
      <text class="t11 bold" x={end} y={-11} text-anchor="end">
        {UNRELATED}
      </text>
    </>
  );
}
