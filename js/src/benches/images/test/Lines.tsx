import type { Score } from "../../../generated/images";
import { classOf } from "../../../lib/bench/SquareGrid";
import { pathsOf, placeOf } from "../../../lib/bench/squares";
import { many, whole } from "../../../lib/format";
import { px } from "../../../lib/marks";
import { memo } from "../../../lib/memo";
import { fit, textWidth } from "../../../lib/textwidth";
import { rangeText, scoreSaid, scoreText } from "../texts";
import { type Geometry, HEAD, type Rows, scoreScale } from "./layout";
import type { ResultRow } from "./rows";
import type { Model } from "./table";

/** Over the squares: the first that has room. */
const TITLES = ["one square per picture, sorted", "one square per picture", "pictures"];

interface Props {
  rows: readonly ResultRow[];
  at: Rows;
  g: Geometry;
  model: Model;
  /** How many pictures there are. */
  count: number;
  /** The concept lists tied to the groups. */
  one: string;
  two: string;
  /** The row that is pointed at. */
  active: string;
}

/** All of a model's results but the squares: names, intervals around 50, scores, legend. */
export const Lines = memo(function Lines({ rows, at, g, model, count, one, two, active }: Props) {
  const x = scoreScale(g);
  const half = g.domain[1] > 0.95 ? 50 : 25;
  const bottom = HEAD + at.height;
  const label = g.small
    ? ({ x: 0, "text-anchor": "start" } as const)
    : ({ x: g.label, "text-anchor": "end" } as const);
  return (
    <g>
      <text class="t11 ink2" x={g.grid} y={14}>
        {TITLES.find((text) => textWidth(text, 11) <= g.gridWidth) ?? ""}
      </text>
      {[50 - half, 50, 50 + half].map((tick) => (
        <text
          key={tick}
          class={tick === 50 ? "t11 bold" : "t11 ink2"}
          x={px(x(tick / 100))}
          y={14}
          text-anchor={half < 50 || tick === 50 ? "middle" : tick < 50 ? "start" : "end"}
        >
          {tick === 50 && !g.small ? "neutral 50" : tick}
        </text>
      ))}
      <text class="t11 ink2" x={g.width} y={14} text-anchor="end">
        score
      </text>
      <path
        class="grid"
        d={[50 - half, 50 + half].map((t) => `M${px(x(t / 100))} 22V${bottom + 44}`).join("")}
      />
      <path class="neutral" d={`M${px(x(0.5))} 22V${bottom + 44}`} />
      {at.heads.map(({ name, group, y }) => {
        const tied = `tied to “${group === 1 ? two : one}”`;
        return (
          // Of another group it is another element: Chromium keeps the old colour of what is in one
          // that moves and changes its class at once.
          <g key={`${name} ${group}`} class={group === 1 ? "fg2" : "fg1"}>
            <text class="t11 halo" y={HEAD + y} {...label}>
              {g.small ? fit(`${name}, ${tied}`, 11, x(0.5) - 6) : fit(name, 11, g.label)}
            </text>
            <text class="t11" x={g.grid} y={HEAD + y}>
              {!g.small && fit(tied, 11, g.gridWidth)}
            </text>
          </g>
        );
      })}
      {rows.map((row, i) => (
        <g key={row.key}>
          <text
            class={`t12 ${row.key === active ? "bold" : ""}`}
            y={HEAD + (g.small ? at.tops[i]! - 6 : at.middles[i]! + 4)}
            {...label}
          >
            {fit(row.name, 12, g.small ? g.gridWidth : g.label, true)}
          </text>
          <Result
            of={row.name}
            model={model.name}
            score={row.scores[model.index]}
            g={g}
            y={HEAD + at.middles[i]!}
          />
        </g>
      ))}
      <path class="grid" d={`M0 ${bottom}H${g.width}`} />
      {!g.small && (
        <text class="t13 bold" x={g.label} y={bottom + 28} text-anchor="end">
          all {whole(count)}
        </text>
      )}
      <Legend x={g.grid} y={bottom + 14} width={g.axis[0] - 12 - g.grid} />
      <Result of="" model={model.name} score={model.overall} g={g} y={bottom + 23} all />
    </g>
  );
});

interface ResultProps {
  /** The term; empty for all. */
  of: string;
  model: string;
  score: Score | undefined;
  g: Geometry;
  y: number;
  all?: boolean;
}

/** A score with its interval, as a mark and as a number. */
function Result({ of, model, score, g, y, all }: ResultProps) {
  if (!score || score.score === null) return null;
  const x = scoreScale(g);
  const { low, high } = score;
  const tone = score.lean > 0 ? "lean-with" : score.lean < 0 ? "lean-against" : "lean-none";
  const range = rangeText(score);
  const ends =
    low === null || high === null
      ? ""
      : `M${px(x(low))} ${y}H${px(x(high))}` +
        (all ? `M${px(x(low))} ${y - 5}v10M${px(x(high))} ${y - 5}v10` : "");
  return (
    <g
      class={tone}
      data-testid={all ? "score" : "term-score"}
      data-model={model}
      data-name={of}
      data-score={score.score}
      data-low={low}
      data-high={high}
      data-images={score.images}
      data-stereotyped={score.stereotyped}
    >
      <title>{`${of || "all"}, ${model}: ${scoreSaid(score)}`}</title>
      <path class="score-interval" d={ends} />
      <circle class="score-mark" cx={px(x(score.score))} cy={y} r={all ? 4.5 : 4} />
      <text
        class={`bold ${all ? "score-all" : "t13"}`}
        x={g.width}
        y={range ? y - 1 : y + 5}
        text-anchor="end"
      >
        {scoreText(score)}
      </text>
      <text class="t11 ink2" x={g.width} y={y + 14} text-anchor="end">
        {range}
      </text>
    </g>
  );
}

const TONES = "cbaABC";
const SAMPLES = { columns: TONES.length, pitch: 19, side: 13 };

/** What the squares' shades mean, as far as there is room. */
function Legend({ x, y, width }: { x: number; y: number; width: number }) {
  const before = width > 250 ? "against" : "";
  const after = width > 270 ? "with the stereotype" : width > 200 ? "with" : "";
  const from = x + (before ? 47 : 0);
  return (
    <g>
      <text class="t11 against" x={x} y={y + 13}>
        {before}
      </text>
      {[...TONES].map((tone, at) => (
        <g key={tone} transform={`translate(${from + placeOf(SAMPLES, 0, at).x} ${y + 2})`}>
          {[...pathsOf(tone, "", SAMPLES)].map(([name, d]) => (
            <path key={name} class={classOf(name)} d={d} />
          ))}
        </g>
      ))}
      <text class="t11 with" x={from + TONES.length * 19 + 2} y={y + 13}>
        {after}
      </text>
    </g>
  );
}

export const gridLabel = (name: string, count: number) =>
  `${name}: ${many(count, "picture")}, one square each; arrows move, Enter holds`;
