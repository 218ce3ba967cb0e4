/** The share drawn as women: by how often the word is said, and as the chains go on. */
import { useRef } from "preact/hooks";
import type { Portraits } from "../../../generated/posterior";
import { many, percent, points, whole } from "../../../lib/format";
import { useFont, useWidth } from "../../../lib/hooks";
import { px } from "../../../lib/marks";
import { axisTicks, linear, type Scale } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import { Slider } from "../../../lib/ui/Controls";
import type { Store, View } from "../store";
import { portraitsOf } from "./portraits";

const [LEFT, TOP, HEIGHT] = [34, 14, 118];
export const SHARES_HEIGHT = TOP + HEIGHT + 26;
const LEVELS = [0, 0.25, 0.5, 0.75, 1];

interface Plot {
  width: number;
  x: Scale;
  y: Scale;
}

function plotOf({ exponents, lines }: Portraits, width: number): Plot {
  const names = Math.max(60, ...lines.map(({ word }) => textWidth(word, 12, true) + 14));
  const right = width - Math.min(names, width / 3);
  return {
    width,
    x: linear([0, Math.max(1, exponents.length - 1)], [LEFT + 14, right]),
    y: linear([0, 1], [TOP + HEIGHT, TOP]),
  };
}

/** The share by how often in a row the word is said: weights of the same portraits. */
export function Shares({ store, view }: { store: Store; view: View }) {
  const portraits = portraitsOf(view);
  const { exponents, exponent, lines, words } = portraits;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 440);
  useFont(box);
  const plot = plotOf(portraits, width);
  const place = view.power ?? Math.max(0, exponents.indexOf(exponent));
  const last = exponents.length - 1;
  const said = lines.map(({ word, shares }) => `${word} ${percent(shares[place] ?? 0)}`);
  const [left, right] = plot.x.range;
  return (
    <>
      <p class="t12 ink2 shares-head">
        drawn as women, %, by exact weighting{words.length > 0 && last < 0 && ": not in this run"}
      </p>
      <div ref={box}>
        <svg
          class="drawing shares"
          width={width}
          height={SHARES_HEIGHT}
          role="img"
          aria-label={`Share drawn as women: ${said.join(", ")}`}
          data-testid="shares"
        >
          <SharesBody portraits={portraits} plot={plot} place={place} />
        </svg>
        <div style={{ margin: `0 ${px(width - right - 8)}px 0 ${px(left - 8)}px` }}>
          <Slider
            label="How often in a row it must say the word"
            testid="power"
            value={place}
            min={0}
            max={Math.max(1, last)}
            step={1}
            disabled={last < 1}
            shown={last < 1 ? "" : timesText(exponents[place] ?? 0)}
            spoken={`${timesText(exponents[place] ?? 0)}: ${said.join(", ")}`}
            onInput={(to) => store.setPower(to)}
          />
        </div>
      </div>
    </>
  );
}

const timesText = (exponent: number) => (exponent === 0 ? "no word" : many(exponent, "time"));

interface BodyProps {
  portraits: Portraits;
  plot: Plot;
  place: number;
}

function SharesBody({ portraits: { exponents, lines, neutral }, plot, place }: BodyProps) {
  const { x, y } = plot;
  const [, right] = x.range;
  const floor = TOP + HEIGHT;
  return (
    <g>
      <path class="grid" d={LEVELS.map((v) => `M${LEFT} ${px(y(v))}H${px(right)}`).join("")} />
      <path class="neutral" d={`M${LEFT} ${px(y(neutral))}H${px(right)}`} />
      <Levels y={y} />
      {exponents.map((exponent, i) => (
        <text
          key={exponent}
          class={i === place ? "t11 bold" : "t11 ink2"}
          x={px(x(i))}
          y={floor + 20}
          text-anchor="middle"
        >
          {exponent || "no word"}
        </text>
      ))}
      {exponents.length > 0 && (
        <path class="guide-line" d={`M${px(x(place))} ${TOP - 6}V${floor}`} />
      )}
      {lines.map(({ word, shares }, k) => (
        <g key={word} data-testid="share-line" data-word={word} data-share={shares[place]}>
          <path class="chain-line" d={path(shares, x, y)} />
          {shares.map((share, i) => (
            <circle
              key={exponents[i]}
              class={k === 0 ? "share-dot" : "share-dot open"}
              cx={px(x(i))}
              cy={px(y(share))}
              r={4}
            />
          ))}
          <text class="t12 bold" x={px(right + 9)} y={px(y(shares[shares.length - 1] ?? 0) + 4)}>
            {word}
          </text>
          <text
            class="t12 bold halo at-handle"
            x={px(x(place) + 7)}
            y={px(y(shares[place] ?? 0) + (k === 0 ? 17 : -8))}
          >
            {percent(shares[place] ?? 0)}
          </text>
        </g>
      ))}
    </g>
  );
}

const Levels = ({ y }: { y: Scale }) => (
  <>
    {LEVELS.slice(1).map((v) => (
      <text
        key={v}
        class={v === 0.5 ? "t11 bold" : "t11 ink2"}
        x={LEFT - 8}
        y={px(y(v) + 4)}
        text-anchor="end"
      >
        {points(v)}
      </text>
    ))}
  </>
);

const path = (values: readonly number[], x: Scale, y: Scale, at = (i: number) => i) =>
  values.map((v, i) => `${i ? "L" : "M"}${px(x(at(i)))} ${px(y(v))}`).join("");

const [RUNNING, EDGE] = [88, 18];
export const RUNNING_HEIGHT = RUNNING + 24;

/** The share of each chain so far. */
export function Running({ portraits }: { portraits: Portraits }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 440);
  return (
    <>
      <p class="t12 ink2 shares-head">drawn as women so far, %, a line for each chain</p>
      <div ref={box}>
        <svg
          class="drawing"
          width={width}
          height={RUNNING_HEIGHT}
          role="img"
          aria-label={runningText(portraits)}
          data-testid="running"
        >
          <RunningBody portraits={portraits} width={width} />
        </svg>
      </div>
    </>
  );
}

function runningText({ running }: Portraits): string {
  const ends = running.map((line) => line[line.length - 1] ?? 0);
  if (ends.length === 0) return "Share drawn as women of each chain; nothing is drawn yet";
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  return `Share drawn as women so far: the ${ends.length} chains end between ${points(low)} and ${points(high)} %`;
}

export function RunningBody({ portraits, width }: { portraits: Portraits; width: number }) {
  const { running, running_steps: at, warmup, steps, neutral } = portraits;
  const x = linear([0, Math.max(1, steps)], [LEFT, width - EDGE]);
  const y = linear([0, 1], [RUNNING, 6]);
  const numbers = axisTicks([0, steps], 0, width - LEFT, 70);
  return (
    <g>
      <rect class="warm-up" x={LEFT} y={6} width={px(x(warmup) - LEFT)} height={RUNNING - 6} />
      <path class="grid" d={[0, 1].map((v) => `M${LEFT} ${px(y(v))}H${width - EDGE}`).join("")} />
      <path class="neutral" d={`M${LEFT} ${px(y(neutral))}H${width - EDGE}`} />
      <Levels y={y} />
      {running.map((line, chain) => (
        <path key={chain} class="chain-thin" d={path(line, x, y, (i) => at[i] ?? 0)} />
      ))}
      {steps > 0 &&
        numbers.map((t) => (
          <text key={t} class="t11 ink2" x={px(x(t))} y={RUNNING + 18} text-anchor="middle">
            {whole(t)}
          </text>
        ))}
    </g>
  );
}

export const SharesFigure = ({ portraits, width }: { portraits: Portraits; width: number }) => (
  <SharesBody
    portraits={portraits}
    plot={plotOf(portraits, width)}
    place={Math.max(0, portraits.exponents.indexOf(portraits.exponent))}
  />
);
