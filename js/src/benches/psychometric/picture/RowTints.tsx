import { memo } from "../../../lib/memo";
import { clamp, type Scale } from "../../../lib/scale";
import { type Geometry, rowBand, rowGap } from "../layout";
import type { Arranged } from "./arranged";

interface Props {
  id: string;
  g: Geometry;
  x: Scale;
  rows: Arranged;
  /** Rows there will be: those still missing are grey. */
  total: number;
  noise: number;
}

const EMPTY_ROWS = 16;
/** A noisy row's edge fades over this many standard deviations to each side. */
const REACH = 3;

/** Each row in two tints, cue 1 left of its switch point and cue 2 right of it. */
export const RowTints = memo(function RowTints({ id, g, x, rows, total, noise }: Props) {
  const n = Math.max(rows.order.length, Math.min(total, 544)) || EMPTY_ROWS;
  const gap = rowGap((g.bottom - g.top) / n);
  const shapes = rows.graded ? NOTHING : paths(g, x, rows, n, gap, noise);
  return (
    <g clip-path={`url(#${id}-plot)`}>
      {shapes.empty && <path class="row-empty" d={shapes.empty} />}
      <path class="tint1" d={shapes.first} />
      <path class="tint2" d={shapes.second} />
      {rows.graded && <Shades g={g} x={x} rows={rows} n={n} gap={gap} />}
      {noise > 0 && (
        <>
          <linearGradient id={`${id}-edge`}>
            {EDGE.map(([offset, share]) => (
              <stop key={offset} offset={offset} class="s2t" stop-opacity={share} />
            ))}
          </linearGradient>
          {rows.switches.map((s, i) => {
            const { y, h } = rowBand(g, i, n);
            const from = x(s - REACH * noise);
            const width = x(s + REACH * noise) - from;
            return (
              <rect
                key={i}
                x={from}
                y={y + gap / 2}
                width={width}
                height={h - gap}
                fill={`url(#${id}-edge)`}
              />
            );
          })}
        </>
      )}
    </g>
  );
});

/** The normal distribution function at nine places: the shape of a noisy row's edge. */
const EDGE: [number, number][] = [
  [0, 0.001],
  [0.1, 0.008],
  [0.2, 0.036],
  [0.3, 0.115],
  [0.4, 0.274],
  [0.5, 0.5],
  [0.6, 0.726],
  [0.7, 0.885],
  [0.8, 0.964],
  [0.9, 0.992],
  [1, 1],
];

const NOTHING = { first: "", second: "", empty: "" };

/** Shades between the two tints. */
const SHADES = 12;

interface ShadesProps {
  g: Geometry;
  x: Scale;
  rows: Arranged;
  n: number;
  gap: number;
}

/** Rows of graded answers: a cell around each stimulus, tinted by the answer to it. */
function Shades({ g, x, rows, n, gap }: ShadesProps) {
  const { alphas, answers } = rows.graded!;
  const last = alphas.length - 1;
  const from = alphas.map((a, l) => x(l === 0 ? a : (a + alphas[l - 1]!) / 2));
  const to = alphas.map((a, l) => x(l === last ? a : (a + alphas[l + 1]!) / 2));
  const cells = Array.from({ length: SHADES + 1 }, () => "");
  let ground = "";
  rows.order.forEach((row, i) => {
    const { y, h } = rowBand(g, i, n);
    const bar = (left: number, right: number) =>
      `M${px(left)} ${px(y + gap / 2)}H${px(right)}v${px(h - gap)}H${px(left)}Z`;
    ground += bar(from[0]!, to[last]!);
    let l = 0;
    while (l <= last) {
      // Neighbours of one shade are one bar.
      const shade = shadeOf(answers[row]?.[l]);
      let end = l;
      while (end < last && shadeOf(answers[row]?.[end + 1]) === shade) end++;
      if (shade > 0) cells[shade] += bar(from[l]!, to[end]!);
      l = end + 1;
    }
  });
  return (
    <>
      <path class="tint1" d={ground} />
      {cells.map((d, shade) =>
        d ? <path key={shade} class="tint2" fill-opacity={shade / SHADES} d={d} /> : null,
      )}
    </>
  );
}

const shadeOf = (share = 0) => Math.round(clamp(share, 0, 1) * SHADES);

function paths(g: Geometry, x: Scale, rows: Arranged, n: number, gap: number, noise: number) {
  let first = "";
  let second = "";
  let empty = "";
  const reach = noise > 0 ? REACH * noise : 0;
  for (let i = 0; i < n; i++) {
    const { y, h } = rowBand(g, i, n);
    const bar = (from: number, to: number) =>
      to > from ? `M${px(from)} ${px(y + gap / 2)}H${px(to)}v${px(h - gap)}H${px(from)}Z` : "";
    const s = rows.switches[i];
    if (s === undefined) {
      empty += bar(g.left, g.right);
      continue;
    }
    // A noisy row is cue 1 up to where its fade ends; the fade is laid over it.
    const end = clamp(x(s + reach), g.left, g.right);
    first += bar(g.left, end);
    second += bar(end, g.right);
  }
  return { first, second, empty };
}

const px = (v: number) => Math.round(v * 100) / 100;
