import { points } from "../../../lib/format";
import { memo } from "../../../lib/memo";
import { clamp, type Scale, tickStep, ticks } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import { type Geometry, LEVEL_GAP } from "../layout";

interface FrameProps {
  g: Geometry;
  x: Scale;
  /** What a row is, in the plural, such as replicates. */
  unit: string;
  /** Rows answer with probabilities of their own. */
  graded: boolean;
  /** Rows are these under several pairs. */
  pooled: boolean;
  cue2: string;
}

/** What is there before any data: the title, the levels, and the neutral line with its name. */
export const Frame = memo(function Frame({ g, x, unit, graded, pooled, cue2 }: FrameProps) {
  const neutral = x(0.5);
  const inside = neutral >= g.left && neutral <= g.right;
  const name = "50/50 stimulus";
  const half = textWidth(name, 11) / 2;
  const at = clamp(neutral, g.left + half, g.right - half);
  const arrow = inside ? name : neutral < g.left ? `← ${name}` : `${name} →`;
  return (
    <g>
      <text class="t12 ink2" x={0} y={13}>
        {graded
          ? `Answer “${cue2}”, mean over ${unit}${pooled ? " and pairs" : ""}, %`
          : `${capital(unit)}${pooled ? " × pairs" : ""} that answer “${cue2}”, %`}
      </text>
      {[0, 25, 50, 75, 100].map((level) => (
        <text
          key={level}
          class="t11 ink3"
          x={g.left - LEVEL_GAP}
          y={g.bottom - (level / 100) * (g.bottom - g.top) + 4}
          text-anchor="end"
        >
          {level}
        </text>
      ))}
      <text class="t11 ink2 halo" x={at} y={g.top - 13} text-anchor="middle">
        {arrow}
      </text>
      {inside && <line class="neutral" x1={neutral} x2={neutral} y1={g.top - 8} y2={g.top} />}
    </g>
  );
});

const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

interface AxisProps {
  id: string;
  g: Geometry;
  x: Scale;
  cue1: string;
  cue2: string;
}

/** Lines through the plot at 50/50 and 50 %, and the stimulus axis from one cue to the other. */
export const Axis = memo(function Axis({ id, g, x, cue1, cue2 }: AxisProps) {
  const [low, high] = x.domain;
  const neutral = x(0.5);
  const middle = (g.top + g.bottom) / 2;
  const major = tickStep(low, high, g.narrow ? 4 : 5);
  const minor = major / 2;
  const marks = ticks(low, high, minor);
  const isMajor = (tick: number) => Math.abs(tick / major - Math.round(tick / major)) < 1e-6;
  const near = (tick: number) => Math.abs(x(tick) - neutral) < 24 && Math.abs(tick - 0.5) > 1e-9;
  const neutralInside = low <= 0.5 && 0.5 <= high;
  const digits = major < 0.01 ? 1 : 0;
  const caption = `stimulus: share of ${cue2} in the blend, %`;
  const room = g.right - g.left;
  const ends = textWidth(cue1, 12, true) + textWidth(cue2, 12, true) + 24;
  const oneLine = ends + textWidth(caption, 12) < room;
  const base = g.axisY;
  return (
    <g>
      <linearGradient
        id={`${id}-axis`}
        gradientUnits="userSpaceOnUse"
        x1={x(0)}
        x2={x(1)}
        y1="0"
        y2="0"
      >
        <stop offset="0" class="s1" />
        <stop offset="0.5" class="sn" />
        <stop offset="1" class="s2" />
      </linearGradient>
      {neutralInside && <line class="neutral" x1={neutral} x2={neutral} y1={g.top} y2={g.bottom} />}
      <line class="neutral" x1={g.left} x2={g.right} y1={middle} y2={middle} />
      <rect x={g.left} y={base - 3} width={room} height={6} rx={3} fill={`url(#${id}-axis)`} />
      {marks.map((tick) => {
        const long = isMajor(tick) || tick === 0.5;
        return (
          <line
            key={tick}
            class="tick"
            x1={x(tick)}
            x2={x(tick)}
            y1={base + 8}
            y2={base + (long ? 14 : 11)}
          />
        );
      })}
      {marks
        .filter((tick) => isMajor(tick) && tick !== 0.5 && !(neutralInside && near(tick)))
        .map((tick) => (
          <text key={tick} class="t11 ink2" x={x(tick)} y={base + 28} text-anchor="middle">
            {points(tick, digits)}
          </text>
        ))}
      {neutralInside && (
        <text class="t11 bold" x={neutral} y={base + 28} text-anchor="middle">
          50
        </text>
      )}
      <text class="t12 bold fg1 axis-name" x={g.left} y={base + 46}>
        {low > 0.005 ? `← ${cue1}` : cue1}
      </text>
      <text class="t12 bold fg2 axis-name" x={g.right} y={base + 46} text-anchor="end">
        {high < 0.995 ? `${cue2} →` : cue2}
      </text>
      <text class="t12 ink2" x={(g.left + g.right) / 2} y={base + 46} text-anchor="middle">
        {oneLine ? caption : `${cue2}, %`}
      </text>
    </g>
  );
});
