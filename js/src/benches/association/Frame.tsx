import { fixed } from "../../lib/format";
import { px } from "../../lib/marks";
import { memo } from "../../lib/memo";
import type { Scale } from "../../lib/scale";
import { fit, textWidth } from "../../lib/textwidth";
import { axisTicks, FOOT, type Geometry, HEAD, type Rows, rowBand } from "./layout";

const NEUTRAL = 1;

/** Names of groups and words, left of a plot, and hairlines under the rows. */
export const Names = memo(function Names({ g, rows }: { g: Geometry; rows: Rows }) {
  return (
    <g>
      <path
        class="hair"
        d={rows.words
          .map((row) => rowBand(row))
          .map(({ y, height }) => `M${g.left} ${y + height}H${g.right}`)
          .join("")}
      />
      {rows.groups.map((group) => (
        <text key={group.top} class="t12 bold" x={0} y={group.top + 17}>
          {fit(group.name, 12, g.width - 8, true)}
        </text>
      ))}
      {rows.words.map((row) => (
        <text
          key={row.index}
          class="t12"
          x={g.nameWidth}
          y={row.top + rowBand(row).height / 2 + 4}
          text-anchor="end"
        >
          {fit(row.word, 12, g.nameWidth)}
        </text>
      ))}
    </g>
  );
});

/** Distance 1, where nothing is related, and the grid around it. */
export const Grid = memo(function Grid(props: { g: Geometry; x: Scale; height: number }) {
  const { g, x, height } = props;
  const lines = axisTicks(x.domain, NEUTRAL, g.right - g.left).filter((t) => t !== NEUTRAL);
  return (
    <g>
      <path class="grid" d={lines.map((t) => `M${px(x(t))} 0V${height}`).join("")} />
      <path class="neutral" d={`M${px(x(NEUTRAL))} -6V${height}`} />
    </g>
  );
});

interface HeadProps {
  g: Geometry;
  x: Scale;
  /** Mean of means, drawn on the same axis. */
  mac: number | null;
}

/** Over a plot: the neutral value, and the mean of means, neither over the other. */
export const Head = memo(function Head({ g, x, mac }: HeadProps) {
  const one = x(NEUTRAL);
  const unrelated = "unrelated 1.0";
  const wide = textWidth(unrelated, 11, true);
  const y = HEAD - 10;
  if (mac === null) {
    const clipped = one + wide / 2 > g.width;
    return (
      <text
        class="t11 bold"
        x={clipped ? g.width : one}
        y={y}
        text-anchor={clipped ? "end" : "middle"}
      >
        {unrelated}
      </text>
    );
  }
  const at = x(mac);
  const below = mac <= NEUTRAL;
  // Both names stand outward of their lines where the lines are close, within the drawing.
  const right = Math.min(one + wide / 2, g.width);
  const end = below
    ? Math.min(Math.max(right, at + 10 + wide), g.width)
    : Math.max(Math.min(right, at - 10), wide);
  const mean = below ? Math.min(at + 3, end - wide - 7) : Math.max(at - 3, end + 7);
  const long = `mean of means (MAC) ${fixed(mac, 2)}`;
  const room = below ? mean : g.width - mean;
  return (
    <g>
      <text class="t11 bold" x={mean} y={y} text-anchor={below ? "end" : "start"}>
        {textWidth(long, 11, true) > room - 1 ? `MAC ${fixed(mac, 2)}` : long}
      </text>
      <text class="t11 bold" x={end} y={y} text-anchor="end">
        {unrelated}
      </text>
    </g>
  );
});

export function MacLine({ x, mac, height }: { x: Scale; mac: number | null; height: number }) {
  return mac === null ? null : <path class="mac-line" d={`M${px(x(mac))} -6V${height}`} />;
}

interface FootProps {
  g: Geometry;
  x: Scale;
  neutral: number;
  name: string;
}

/** Under a plot: its ticks, and what is measured. */
export const Foot = memo(function Foot({ g, x, neutral, name }: FootProps) {
  const shown = axisTicks(x.domain, neutral, g.right - g.left);
  const digits = shown.every((t) => Number.isInteger(t)) ? 0 : shown.every(isTenth) ? 1 : 2;
  return (
    <g>
      {shown.map((t) => (
        <text
          key={t}
          class={`t11 ${t === neutral ? "bold" : "ink2"}`}
          x={px(x(t))}
          y={16}
          text-anchor="middle"
        >
          {fixed(t, t === neutral && t === 0 ? 0 : digits)}
        </text>
      ))}
      <text class="t11 ink2" x={(g.left + g.right) / 2} y={FOOT - 11} text-anchor="middle">
        {name}
      </text>
    </g>
  );
});

const isTenth = (t: number) => Math.abs(t * 10 - Math.round(t * 10)) < 1e-9;
