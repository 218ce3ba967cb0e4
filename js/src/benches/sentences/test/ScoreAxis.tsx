import { useRef } from "preact/hooks";
import type { ModelRow } from "../../../generated/sentences";
import { ValueAxis } from "../../../lib/chart/ValueAxis";
import { many } from "../../../lib/format";
import { useFont, useWidth } from "../../../lib/hooks";
import { px } from "../../../lib/marks";
import { memo } from "../../../lib/memo";
import { linear } from "../../../lib/scale";
import { fit } from "../../../lib/textwidth";
import type { View } from "../store";
import { rangeText, shareSaid, shareText } from "../texts";

const HEAD = 22;
const ROW = 32;
const FOOT = 24;
const TICKS = [0, 25, 50, 75, 100];

export const axisHeight = (models: number) => HEAD + ROW * Math.max(models, 1) + FOOT;

/** Each model's share with its interval on one axis, the neutral 50 drawn before anything else. */
export function ScoreAxis({ view }: { view: View }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 920);
  useFont(box);
  const models = modelsOf(view);
  return (
    <div ref={box} class="score-axis">
      <svg
        class="drawing"
        width={width}
        height={axisHeight(models.length)}
        role="group"
        aria-label="Scores of the models"
        data-testid="scores"
      >
        <AxisBody models={models} width={width} />
      </svg>
    </div>
  );
}

/** The models of the picture; before any, those that are chosen. */
export function modelsOf(view: View): readonly (ModelRow | string)[] {
  const models = view.answer.picture?.models ?? [];
  return models.length > 0 ? models : view.inputs.models;
}

interface BodyProps {
  models: readonly (ModelRow | string)[];
  width: number;
}

export const AxisBody = memo(function AxisBody({ models, width }: BodyProps) {
  const small = width < 520;
  const left = small ? 84 : 108;
  const right = width - (small ? 74 : 148);
  const x = linear([0, 100], [left, right]);
  const bottom = HEAD + ROW * Math.max(models.length, 1);
  return (
    <g>
      <text class="t11 against" x={left} y={11}>
        {small ? "against" : "always against the stereotype"}
      </text>
      <text class="t11 with" x={right} y={11} text-anchor="end">
        {small ? "with" : "always with the stereotype"}
      </text>
      <ValueAxis
        x={x}
        ticks={TICKS}
        neutral={50}
        label="neutral 50 %"
        top={HEAD}
        bottom={bottom}
        width={width}
      />
      {models.map((model, i) => {
        const y = HEAD + ROW * (i + 0.5);
        const name = typeof model === "string" ? model : model.name;
        return (
          <g key={name}>
            <path class="grid" d={`M${left} ${y}H${right}`} />
            <text class="t13 bold" x={0} y={y + 4}>
              {fit(name, 13, left - 8, true)}
            </text>
            {typeof model !== "string" && (
              <Score model={model} y={y} x={x} width={width} small={small} />
            )}
          </g>
        );
      })}
    </g>
  );
});

interface ScoreProps {
  model: ModelRow;
  y: number;
  x: (value: number) => number;
  width: number;
  small: boolean;
}

function Score({ model, y, x, width, small }: ScoreProps) {
  const { overall: share, state } = model;
  const tone = share.lean > 0 ? "lean-with" : share.lean < 0 ? "lean-against" : "lean-none";
  const at = (v: number) => px(x(v * 100));
  if (share.share === null)
    return (
      <text
        class={`t12 ${state === "failed" ? "failed-text" : "ink2"}`}
        x={width}
        y={y + 4}
        text-anchor="end"
      >
        {STATES[state]}
      </text>
    );
  const { low, high } = share;
  return (
    <g
      class={tone}
      data-testid="score"
      data-model={model.name}
      data-share={share.share}
      data-low={low}
      data-high={high}
      data-wins={share.wins}
      data-losses={share.losses}
      data-ties={share.ties}
      data-failures={share.failures}
    >
      <title>{`${model.name}: ${shareSaid(share)}`}</title>
      {low !== null && high !== null && (
        <path
          class="score-interval"
          d={`M${at(low)} ${y}H${at(high)}M${at(low)} ${y - 6}v12M${at(high)} ${y - 6}v12`}
        />
      )}
      <circle class="score-mark" cx={at(share.share)} cy={y} r={6.5} />
      <text
        class="bold score-share"
        x={small ? width : width - 66}
        y={small ? y : y + 6}
        text-anchor="end"
      >
        {shareText(share)}
      </text>
      <text
        class={small ? "t11 ink2" : "t12 ink2"}
        x={width}
        y={small ? y + 13 : y + 5}
        text-anchor="end"
      >
        {state === "scoring" ? `of ${many(model.scored, "pair")}` : rangeText(share)}
      </text>
    </g>
  );
}

const STATES: Record<ModelRow["state"], string> = {
  waiting: "waiting",
  scoring: "scoring…",
  done: "no score",
  stopped: "stopped",
  failed: "failed",
};
