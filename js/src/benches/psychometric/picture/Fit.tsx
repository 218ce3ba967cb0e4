import type { Jnd, Picture } from "../../../generated/psychometric";
import { fixed, percent } from "../../../lib/format";
import { memo } from "../../../lib/memo";
import { linear, type Scale } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import { type Geometry, rowBand, rowGap } from "../layout";
import type { Arranged } from "./arranged";

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

/** The two sides named in the picture, where their tint has room. */
function Names({ g, x, picture, rows }: Part & { rows: Arranged }) {
  const n = rows.switches.length;
  if (n === 0) return null;
  const first = `answers ${picture.cue_1}`;
  const second = `answers ${picture.cue_2}`;
  const upper = x(rows.switches[Math.floor((n - 1) * 0.9)]!);
  const lower = x(rows.switches[Math.ceil((n - 1) * 0.1)]!);
  const pad = g.narrow ? 10 : 17;
  return (
    <>
      {upper > g.left + pad + textWidth(first, 12, true) + 8 && (
        <text class="t12 bold fg1" x={g.left + pad} y={g.top + 19}>
          {first}
        </text>
      )}
      {lower < g.right - pad - textWidth(second, 12, true) - 8 && (
        <text class="t12 bold fg2" x={g.right - pad} y={g.bottom - 11} text-anchor="end">
          {second}
        </text>
      )}
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

/** The JND as the bracket that defines it, at the level of its upper end. */
function JndBracket({ g, x, picture }: Part) {
  const { jnd, curve } = picture;
  if (!jnd || !Number.isFinite(jnd.start) || !Number.isFinite(jnd.end)) return null;
  const from = x(jnd.start);
  const to = x(jnd.end);
  if (from < g.left || to > g.right || to < from) return null;
  const y = linear([0, 1], [g.bottom, g.top]);
  // A step is steeper than the curve's sampling: its bracket stays clear of the PSE all the same.
  const level = y(Math.max(0.7, shareAt(curve.alpha, curve.share, jnd.end)));
  const startLevel = y(shareAt(curve.alpha, curve.share, jnd.start));
  const value = `JND ${fixed(jnd.value * 100, 1)} points`;
  const range = jnd.interval
    ? `${fixed(jnd.interval[0] * 100, 1)}–${fixed(jnd.interval[1] * 100, 1)}`
    : "";
  const widest = Math.max(textWidth(`${value}  ${range}`, 12, true), textWidth(jnd.label, 11));
  const rightSide = to + 34 + widest < g.right;
  if (!rightSide && from - 20 - widest < g.left + 4) {
    return (
      <g>
        <BracketLine from={from} to={to} y={level} start={startLevel} leader={to} />
        <TightJnd g={g} from={from} to={to} y={level} jnd={jnd} value={value} range={range} />
      </g>
    );
  }
  const leader = rightSide ? to + 28 : from - 14;
  const at = rightSide ? leader + 5 : leader - 5;
  const anchor = rightSide ? "start" : "end";
  const halo = rightSide ? "halo2" : "halo1";
  return (
    <g>
      <BracketLine from={from} to={to} y={level} start={startLevel} leader={leader} />
      <text
        class={`t12 ${halo}`}
        x={at}
        y={level + 4}
        text-anchor={anchor}
        data-testid="jnd-label"
        data-value={jnd.value}
      >
        <tspan class="bold">{value}</tspan>
        {range && <tspan class="ink2">{`  ${range}`}</tspan>}
      </text>
      <text class={`t11 ink2 ${halo}`} x={at} y={level + 19} text-anchor={anchor}>
        {jnd.label}
      </text>
    </g>
  );
}

interface Tight {
  g: Geometry;
  from: number;
  to: number;
  y: number;
  jnd: Jnd;
  value: string;
  range: string;
}

/** The JND's numbers in short lines, on the side that has more room. */
function TightJnd({ g, from, to, y, jnd, value, range }: Tight) {
  const right = g.right - to > from - g.left;
  const at = right ? Math.min(to + 8, g.right - 88) : Math.max(from - 8, g.left + 88);
  const lines = [value, range, jnd.label.split(",")[0]!].filter(Boolean);
  return (
    <text
      class={`t11 ink2 ${right ? "halo2" : "halo1"}`}
      text-anchor={right ? "start" : "end"}
      data-testid="jnd-label"
      data-value={jnd.value}
    >
      {lines.map((line, i) => (
        <tspan key={line} x={at} y={y + 4 + 14 * i} class={i === 0 ? "bold" : ""}>
          {line}
        </tspan>
      ))}
    </text>
  );
}

interface Bracket {
  from: number;
  to: number;
  y: number;
  start: number;
  leader: number;
}

const BracketLine = ({ from, to, y, start, leader }: Bracket) => (
  <g class="jnd">
    <line class="dots" x1={from} x2={from} y1={y} y2={start} />
    <path d={`M${from} ${y - 4}v8M${from} ${y}H${to}M${to} ${y - 4}v8`} />
    <line class="leader" x1={leader > to ? to : from} x2={leader} y1={y} y2={y} />
  </g>
);

function shareAt(alphas: number[], shares: number[], alpha: number): number {
  const i = alphas.findIndex((a) => a >= alpha);
  if (i <= 0) return shares[i < 0 ? shares.length - 1 : 0] ?? 0.5;
  const part = (alpha - alphas[i - 1]!) / (alphas[i]! - alphas[i - 1]! || 1);
  return shares[i - 1]! + part * (shares[i]! - shares[i - 1]!);
}

function Pse({ g, x, picture }: Part) {
  const { pse, pse_at, corpus, cue_2 } = picture;
  if (!Number.isFinite(pse) || pse_at === "none") return null;
  const middle = (g.top + g.bottom) / 2;
  const digits = corpus && corpus[1] - corpus[0] < 0.05 ? 1 : 0;
  const label = pse_at === "beyond" ? "PSE beyond" : `PSE ${percent(pse, digits)} ${cue_2}`;
  const at = x(pse);
  if (at < g.left || at > g.right) {
    const left = at < g.left;
    return (
      <text
        class={`t13 bold ${left ? "halo2" : "halo1"}`}
        x={left ? g.left + 12 : g.right - 12}
        y={middle + 18}
        text-anchor={left ? "start" : "end"}
        data-testid="pse-label"
        data-value={pse}
      >
        {left ? `← ${label}` : `${label} →`}
      </text>
    );
  }
  const right = at + 18 + textWidth(label, 13, true) < g.right;
  return (
    <g>
      <line class="drop" x1={at} x2={at} y1={middle} y2={g.corpusY} />
      <circle class="pse" cx={at} cy={middle} r={5.5} />
      <text
        class={`t13 bold ${right ? "halo2" : "halo1"}`}
        x={right ? at + 14 : at - 14}
        y={middle + 18}
        text-anchor={right ? "start" : "end"}
        data-testid="pse-label"
        data-value={pse}
      >
        {label}
      </text>
    </g>
  );
}
