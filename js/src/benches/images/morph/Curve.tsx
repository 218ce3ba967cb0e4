import type { MorphPicture } from "../../../generated/images";
import type { Fit } from "../../../generated/shared";
import { between, predictedPath } from "../../../lib/curvefit";
import { px } from "../../../lib/marks";
import { memo } from "../../../lib/memo";
import { clamp, type Scale } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import { intervalLabel, pseLabel } from "./labels";
import type { CurveGeometry } from "./layout";

const TICKS = [0, 0.25, 0.5, 0.75, 1];

interface Props {
  g: CurveGeometry;
  picture: MorphPicture | null;
  /** Name of the second cue. */
  cue: string;
}

/** The curve with its portraits, the neutral lines, the PSE with its interval; not what moves. */
export const CurveBody = memo(function CurveBody({ g, picture, cue }: Props) {
  const { x, y, left, right, top, bottom } = g;
  const share = `answers “${cue}”, %`;
  const mean = picture && `: dot and curve, mean of ${picture.curve.observers.length} portraits`;
  const captions = [`${share}${mean ?? ""}`, share];
  return (
    <g>
      <text class="t11 ink2" x={0} y={12}>
        {captions.find((text) => textWidth(text, 11) <= right) ?? captions[1]}
      </text>
      <path class="grid" d={TICKS.map((t) => `M${left} ${px(y(t))}H${right}`).join("")} />
      <path class="dotted" d={`M${left} ${px(y(0.5))}H${right}M${px(x(0.5))} ${top}V${bottom}`} />
      {TICKS.map((t) => (
        <text
          key={t}
          class={t === 0.5 ? "t11 bold" : "t11 ink2"}
          x={left - 8}
          y={px(y(t) + 4)}
          text-anchor="end"
        >
          {100 * t}
        </text>
      ))}
      {picture && <Fitted g={g} picture={picture} />}
      <text class="t11 ink2 halo" x={px(x(0.5))} y={top - 7} text-anchor="middle">
        50/50 morph
      </text>
    </g>
  );
});

function Fitted({ g, picture }: { g: CurveGeometry; picture: MorphPicture }) {
  const { x, y } = g;
  const { curve, fit, pse, pse_at } = picture;
  const label = pseLabel(g, picture);
  return (
    <g>
      <path
        class="portrait-curves"
        d={curve.observers.map((answers) => line(curve.stimuli, answers, x, y)).join("")}
        data-testid="portrait-curves"
        data-count={curve.observers.length}
      />
      {curve.band.length > 0 && (
        <path class="curve-band" d={`${area(curve.alphas, curve.band, x, y)}Z`} />
      )}
      <path
        class="predicted"
        d={predictedPath(fit, curve.stimuli, { alpha: curve.alphas, share: curve.mean }, x, y)}
        data-testid="predicted"
      />
      <path class="curve" d={line(curve.alphas, curve.mean, x, y)} data-testid="curve" />
      {fit && <Answers picture={picture} fit={fit} x={x} y={y} />}
      <Interval g={g} picture={picture} />
      <g data-testid="pse" data-value={pse_at === "at" ? pse : undefined}>
        <text class="t12 bold halo" x={px(label.at)} y={px(label.base)} text-anchor={label.anchor}>
          {label.text}
        </text>
        {pse_at === "at" && <circle class="pse-mark" cx={px(x(pse))} cy={px(y(0.5))} r={5} />}
      </g>
    </g>
  );
}

/** Mean answers to the stimuli; full points where the curve misses more than a right one would. */
function Answers({ picture, fit, x, y }: { picture: MorphPicture; fit: Fit; x: Scale; y: Scale }) {
  const { alphas, mean, stimuli } = picture.curve;
  return stimuli.map((alpha, i) => {
    const residual = fit.residual[i]!;
    const beyond = Math.abs(residual) > (fit.expected[i] ?? Number.POSITIVE_INFINITY);
    return (
      <circle
        key={alpha}
        class={beyond ? "answer beyond" : "answer"}
        data-testid="mean-answer"
        data-residual={residual}
        cx={px(x(alpha))}
        cy={px(y((between(alphas, mean, alpha) ?? 0.5) + residual))}
        r={2.5}
      />
    );
  });
}

/** Where the PSE may lie: a line with its ends, or arrows where it has none on the axis. */
function Interval({ g, picture }: { g: CurveGeometry; picture: MorphPicture }) {
  const { pse, pse_at, interval } = picture;
  const label = intervalLabel(g, picture);
  if (!interval || !label) return null;
  const [low, high] = [
    interval[0] ?? Number.NEGATIVE_INFINITY,
    interval[1] ?? Number.POSITIVE_INFINITY,
  ];
  const at = (v: number) => px(g.x(clamp(v, 0, 1)));
  const end = (v: number, out: number) =>
    v >= 0 && v <= 1
      ? `M${at(v)} ${y - 4}v8`
      : `M${at(v) - 5 * out} ${y - 4}l${5 * out} 4l${-5 * out} 4`;
  const y = g.intervalY;
  return (
    <g data-testid="pse-interval" data-low={interval[0]} data-high={interval[1]}>
      <path class="whisker" d={`M${at(low)} ${y}H${at(high)}${end(low, -1)}${end(high, 1)}`} />
      {pse_at === "at" && <circle class="estimate" cx={at(pse)} cy={y} r={4} />}
      <text class="t11 ink2 halo" x={px(label.at)} y={label.base} text-anchor={label.anchor}>
        {label.text}
      </text>
    </g>
  );
}

function line(xs: readonly number[], ys: readonly number[], x: Scale, y: Scale): string {
  return xs.map((v, i) => `${i ? "L" : "M"}${px(x(v))} ${px(y(ys[i] ?? 0.5))}`).join("");
}

function area(xs: readonly number[], band: readonly [number, number][], x: Scale, y: Scale) {
  const low = band.map(([v]) => v);
  const high = band.map(([, v]) => v).reverse();
  return line(xs, low, x, y) + line([...xs].reverse(), high, x, y).replace("M", "L");
}

/** The answer at a stimulus, between those that were fitted. */
export function answerAt({ alphas, mean }: MorphPicture["curve"], alpha: number): number | null {
  if (alphas.length === 0) return null;
  const after = alphas.findIndex((a) => a >= alpha);
  if (after <= 0) return mean[after < 0 ? mean.length - 1 : 0] ?? null;
  const [a, b] = [alphas[after - 1]!, alphas[after]!];
  const share = b > a ? (alpha - a) / (b - a) : 0;
  return mean[after - 1]! * (1 - share) + mean[after]! * share;
}
