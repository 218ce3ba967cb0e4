import type { Share } from "../../../generated/sentences";
import { Numbers } from "../../../lib/chart/ValueAxis";
import { points } from "../../../lib/format";
import { px } from "../../../lib/marks";
import { memo } from "../../../lib/memo";
import { fit, textWidth } from "../../../lib/textwidth";
import { shareSaid } from "../texts";
import { type Geometry, HEAD, type Rows, shareScale } from "./layout";
import type { ResultRow } from "./rows";

interface Props {
  rows: readonly ResultRow[];
  at: Rows;
  g: Geometry;
  /** Names of the models in this line, and which of all they are. */
  models: readonly { name: string; index: number }[];
  groups: readonly [string, string];
  /** The row that is pointed at. */
  active: string;
}

/** Names of the attributes, and per model a bar from 50 to its share with the interval. */
export const Bars = memo(function Bars({ rows, at, g, models, groups, active }: Props) {
  return (
    <g>
      {at.heads.map((head) => (
        <Head key={head.name} {...head} groups={groups} width={g.width} />
      ))}
      {rows.map((row, i) => (
        <text
          key={row.key}
          class={`t12 ${row.key === active ? "bold" : ""}`}
          x={g.label}
          y={HEAD + at.middles[i]! + 4}
          text-anchor="end"
        >
          {fit(row.name, 12, g.label - 4, true)}
        </text>
      ))}
      {models.map(({ name, index }, place) => (
        <Model key={name} name={name} index={index} place={place} rows={rows} at={at} g={g} />
      ))}
    </g>
  );
});

const TICKS = [0, 0.5, 1];

interface HeadProps {
  name: string;
  group: number;
  y: number;
  groups: readonly [string, string];
  width: number;
}

/** A list of attributes, and the group that it is tied to. */
function Head({ name, group, y, groups, width }: HeadProps) {
  const shown = fit(name, 12, 0.6 * width, true);
  const room = width - textWidth(shown, 12, true) - 6;
  return (
    <text class="t12 bold" x={0} y={HEAD + y}>
      {shown}
      {group >= 0 && (
        <tspan class={group === 1 ? "t11 fg2 light" : "t11 fg1 light"} dx={6}>
          {fit(`tied to ${groups[group]}`, 11, room)}
        </tspan>
      )}
    </text>
  );
}

interface ModelProps {
  name: string;
  index: number;
  place: number;
  rows: readonly ResultRow[];
  at: Rows;
  g: Geometry;
}

function Model({ name, index, place, rows, at, g }: ModelProps) {
  const left = g.bars[place]!;
  const x = shareScale(left, g.barWidth);
  return (
    <g>
      <text class="t12 bold" x={left} y={12}>
        {fit(name, 12, g.grids[place]! - left - 8, true)}
      </text>
      <text class="t11 ink2" x={g.grids[place]} y={12}>
        {fit("one square per pair", 11, g.gridWidth)}
      </text>
      <Numbers x={x} ticks={TICKS} neutral={0.5} y={HEAD - 26} text={points} />
      <path class="neutral" d={`M${px(x(0.5))} ${HEAD - 4}V${HEAD + at.height}`} />
      <path
        class="grid"
        d={at.middles.map((y) => `M${px(left)} ${HEAD + y}h${g.barWidth}`).join("")}
      />
      {rows.map((row, i) => (
        <Bar
          key={row.key}
          model={name}
          row={row}
          share={row.shares[index]}
          x={x}
          y={HEAD + at.middles[i]!}
        />
      ))}
    </g>
  );
}

interface BarProps {
  model: string;
  row: ResultRow;
  share: Share | undefined;
  x: (value: number) => number;
  y: number;
}

function Bar({ model, row, share, x, y }: BarProps) {
  if (!share || share.share === null) return null;
  const [a, b] = [x(0.5), x(share.share)];
  const { low, high } = share;
  return (
    <g
      data-testid="attribute-share"
      data-model={model}
      data-name={row.name}
      data-list={row.list}
      data-share={share.share}
      data-low={low}
      data-high={high}
    >
      <title>{`${row.name}, ${model}: ${shareSaid(share)}`}</title>
      <rect
        class={share.share >= 0.5 ? "bar-with" : "bar-against"}
        x={px(Math.min(a, b))}
        y={y - 5}
        width={px(Math.abs(b - a))}
        height={10}
      />
      {low !== null && high !== null && (
        <path
          class="whisker"
          d={`M${px(x(low))} ${y}H${px(x(high))}M${px(x(low))} ${y - 3}v6M${px(x(high))} ${y - 3}v6`}
        />
      )}
      <circle class="estimate" cx={px(b)} cy={y} r={3} />
    </g>
  );
}
