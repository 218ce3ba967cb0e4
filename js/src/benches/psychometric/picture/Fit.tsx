import type { Picture } from "../../../generated/psychometric";
import { memo } from "../../../lib/memo";
import { linear, type Scale } from "../../../lib/scale";
import { type Geometry, rowBand, rowGap } from "../layout";
import type { Arranged } from "./arranged";
import { type JndPlace, jndPlace, psePlace, sideNames } from "./labels";

interface Props {
  id: string;
  g: Geometry;
  x: Scale;
  picture: Picture;
  rows: Arranged;
  partial: boolean;
}

/** What is estimated: switch ticks, observed shares, the curve with its band, PSE and JND. */
export const Fit = memo(function Fit({ id, g, x, picture, rows, partial }: Props) {
  const y = linear([0, 1], [g.bottom, g.top]);
  const { curve, levels } = picture;
  const noisy = picture.row_noise > 0 || rows.graded !== null;
  return (
    <g>
      <Names g={g} x={x} picture={picture} rows={rows} />
      <g clip-path={`url(#${id}-plot)`}>
        {!partial && (
          <path class={`switches ${noisy ? "faint" : ""}`} d={switchTicks(g, x, rows)} />
        )}
      </g>
      {!partial && (
        <>
          <g clip-path={`url(#${id}-plot)`}>
            {curve.low.length > 0 && <path class="band" d={bandPath(picture, x, y)} />}
          </g>
          {levels.alpha.map((alpha, i) => {
            const share = levels.share[i];
            if (share === undefined || alpha < x.domain[0] || alpha > x.domain[1]) return null;
            return <circle key={alpha} class="level" cx={x(alpha)} cy={y(share)} r={2} />;
          })}
          {curve.alpha.length > 0 && <path class="curve" d={curvePath(picture, g, x, y)} />}
          <EdgeArrows g={g} x={x} rows={rows} />
          <JndBracket g={g} x={x} picture={picture} />
          <Pse g={g} x={x} picture={picture} />
        </>
      )}
    </g>
  );
});

interface Part {
  g: Geometry;
  x: Scale;
  picture: Picture;
}

/** The two sides named in the picture. */
function Names({ g, x, picture, rows }: Part & { rows: Arranged }) {
  return (
    <>
      {sideNames(g, x, picture, rows.switches).map(({ text, group, at, y, anchor }) => (
        <text key={group} class={`t12 bold fg${group}`} x={at} y={y} text-anchor={anchor}>
          {text}
        </text>
      ))}
    </>
  );
}

function switchTicks(g: Geometry, x: Scale, rows: Arranged): string {
  const n = rows.switches.length;
  const gap = rowGap((g.bottom - g.top) / Math.max(1, n));
  return rows.switches
    .map((s, i) => {
      const { y, h } = rowBand(g, i, n);
      return `M${x(s).toFixed(2)} ${(y + gap / 2).toFixed(2)}v${(h - gap).toFixed(2)}`;
    })
    .join("");
}

/** Rows that switch outside the axis are of one colour; an arrow says where their switch lies. */
function EdgeArrows({ g, x, rows }: { g: Geometry; x: Scale; rows: Arranged }) {
  const n = rows.switches.length;
  const [low, high] = x.domain;
  const arrows: string[] = [];
  let last = Number.POSITIVE_INFINITY;
  rows.switches.forEach((s, i) => {
    const side = s < low ? -1 : s > high ? 1 : 0;
    if (side === 0) return;
    const { y, h } = rowBand(g, i, n);
    const middle = y + h / 2;
    const half = Math.max(2.5, Math.min(4, h / 2 - 0.5));
    // Thin rows share an arrow.
    if (Math.abs(last - middle) < 2 * half) return;
    last = middle;
    const tip = side < 0 ? g.left + 2 : g.right - 2;
    arrows.push(`M${tip} ${middle}l${-side * half * 1.4} ${-half}v${2 * half}Z`);
  });
  return arrows.length > 0 ? <path class="edge-arrow" d={arrows.join("")} /> : null;
}

/** The fitted curve; for one exact row the step itself, not its sampled slope. */
function curvePath({ rows, row_noise, curve }: Picture, g: Geometry, x: Scale, y: Scale): string {
  const step = rows.switch.length === 1 && row_noise === 0 && rows.answers.length === 0;
  const only = step ? x(rows.switch[0]!) : null;
  if (only === null || only < g.left || only > g.right)
    return linePath(curve.alpha, curve.share, x, y);
  return `M${g.left} ${g.bottom}H${only}V${g.top}H${g.right}`;
}

function linePath(xs: number[], ys: number[], x: Scale, y: Scale): string {
  return xs.map((a, i) => `${i ? "L" : "M"}${x(a).toFixed(2)} ${y(ys[i]!).toFixed(2)}`).join("");
}

function bandPath({ curve }: Picture, x: Scale, y: Scale): string {
  const back = [...curve.alpha].reverse();
  const low = [...curve.low].reverse();
  return `${linePath(curve.alpha, curve.high, x, y)}${linePath(back, low, x, y).replace("M", "L")}Z`;
}

/** The JND as the bracket that defines it, with its numbers. */
function JndBracket({ g, x, picture }: Part) {
  const place = jndPlace(g, x, picture);
  if (!place) return null;
  const { at, y, anchor, value, range, jnd } = place;
  const halo = anchor === "start" ? "halo2" : "halo1";
  const short = [value, range, jnd.label.split(",")[0]!].filter(Boolean);
  return (
    <g>
      <BracketLine {...place} />
      <text
        class={place.tight ? `t11 ink2 ${halo}` : `t12 ${halo}`}
        x={at}
        y={y}
        text-anchor={anchor}
        data-testid="jnd-label"
        data-value={jnd.value}
      >
        {place.tight ? (
          short.map((line, i) => (
            <tspan key={line} x={at} y={y + 14 * i} class={i === 0 ? "bold" : ""}>
              {line}
            </tspan>
          ))
        ) : (
          <>
            <tspan class="bold">{value}</tspan>
            {range && <tspan class="ink2">{`  ${range}`}</tspan>}
          </>
        )}
      </text>
      {!place.tight && (
        <text class={`t11 ink2 ${halo}`} x={at} y={y + 15} text-anchor={anchor}>
          {jnd.label}
        </text>
      )}
    </g>
  );
}

const BracketLine = ({ from, to, y, start, leader }: JndPlace) => (
  <g class="jnd">
    <line class="dots" x1={from} x2={from} y1={y - 4} y2={start} />
    <path d={`M${from} ${y - 8}v8M${from} ${y - 4}H${to}M${to} ${y - 8}v8`} />
    <line class="leader" x1={leader > to ? to : from} x2={leader} y1={y - 4} y2={y - 4} />
  </g>
);

function Pse({ g, x, picture }: Part) {
  const place = psePlace(g, x, picture);
  if (!place) return null;
  const { at, y, anchor, label, inside } = place;
  const middle = (g.top + g.bottom) / 2;
  return (
    <g>
      {inside && (
        <>
          <line class="drop" x1={x(picture.pse)} x2={x(picture.pse)} y1={middle} y2={g.corpusY} />
          <circle class="pse" cx={x(picture.pse)} cy={middle} r={5.5} />
        </>
      )}
      <text
        class={`t13 bold ${anchor === "start" ? "halo2" : "halo1"}`}
        x={at}
        y={y}
        text-anchor={anchor}
        data-testid="pse-label"
        data-value={picture.pse}
      >
        {label}
      </text>
    </g>
  );
}
