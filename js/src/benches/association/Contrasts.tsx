import type { Contrast, Picture, Side } from "../../generated/association";
import { px } from "../../lib/marks";
import { memo } from "../../lib/memo";
import { clamp, linear, type Scale } from "../../lib/scale";
import { fit, textWidth, wrap } from "../../lib/textwidth";
import { axisTicks } from "./layout";
import type { Inputs } from "./store";
import { posteriorOf, sidesOf } from "./store";
import { number, range } from "./texts";

const HEAD = 30;
const LINE = 19;
const GAP = 14;
const FOOT = 26;
/** Between the intervals and their numbers, and right of those. */
const BESIDE = 16;

type Model = Inputs["model"];

/** The paper's model and the crossed one stand side by side; the third joins where it is chosen. */
export const modelsShown = (model: Model): Model[] =>
  model === "per-word" ? ["pooled", "per-word", "crossed"] : ["pooled", "crossed"];

/** One axis for both subjects: only then do they compare. */
export function contrastDomain(picture: Picture | null, model: Model): [number, number] {
  const found = sidesOf(picture).flatMap((side) =>
    modelsShown(model).flatMap((name) => posteriorOf(side, name)?.contrasts ?? []),
  );
  const low = Math.min(-0.05, ...found.map((c) => c.low));
  const high = Math.max(0.1, ...found.map((c) => c.high));
  const pad = 0.05 * (high - low);
  return [low - pad, high + pad];
}

export const contrastsHeight = (side: Side | null, model: Model) =>
  HEAD + Math.max(3, labelsOf(side).length) * (modelsShown(model).length * LINE + GAP) + FOOT;

const labelsOf = (side: Side | null): string[] =>
  (side?.posteriors[0]?.contrasts ?? []).map((c) => c.label);

interface Props {
  side: Side | null;
  model: Model;
  domain: [number, number];
  width: number;
}

/** Differences between connection types: what the data can tell, under each model. */
export const ContrastRows = memo(function ContrastRows({ side, model, domain, width }: Props) {
  const labels = labelsOf(side);
  const models = modelsShown(model);
  const block = models.length * LINE + GAP;
  const found = models.flatMap((name) => (side && posteriorOf(side, name)?.contrasts) ?? []);
  const numbers = Math.max(...found.map(numbersWidth), 0);
  const named = Math.min(
    Math.max(60, ...labels.map((label) => textWidth(label, 12) + 4)),
    width * 0.34,
  );
  const x = linear(domain, [named + 12, width - numbers - BESIDE]);
  const bottom = HEAD + Math.max(3, labels.length) * block;
  const shown = axisTicks(domain, 0, x.range[1] - x.range[0]);
  return (
    <g>
      <path
        class="grid"
        d={shown
          .filter((t) => t !== 0)
          .map((t) => `M${px(x(t))} ${HEAD}V${bottom}`)
          .join("")}
      />
      <path class="neutral" d={`M${px(x(0))} ${HEAD - 6}V${bottom}`} />
      <text class="t11 bold" x={x(0)} y={HEAD - 11} text-anchor="middle">
        no difference 0
      </text>
      {labels.map((label, i) => {
        const top = HEAD + i * block + GAP / 2;
        return (
          <g key={label}>
            {inLines(label, named).map((line, k, { length }) => (
              <text
                key={line}
                class="t12"
                x={named}
                y={top + (block - GAP) / 2 + 4 + 15 * (k - (length - 1) / 2)}
                text-anchor="end"
              >
                {line}
              </text>
            ))}
            {models.map((name, k) => {
              const found = side && posteriorOf(side, name)?.contrasts[i];
              return (
                found && (
                  <One
                    key={name}
                    name={name}
                    found={found}
                    x={x}
                    y={top + (k + 0.5) * LINE}
                    right={width - 2}
                    bold={name === model}
                  />
                )
              );
            })}
          </g>
        );
      })}
      {shown.map((t) => (
        <text
          key={t}
          class={`t11 ${t === 0 ? "bold" : "ink2"}`}
          x={px(x(t))}
          y={bottom + 16}
          text-anchor="middle"
        >
          {number(t, t === 0 ? 0 : decimals(shown))}
        </text>
      ))}
    </g>
  );
});

/** A label as it is drawn: broken where it is wider than its room, and cut only then. */
export const inLines = (label: string, room: number): string[] =>
  wrap(label, 12, room).map((line) => fit(line, 12, room));

/** Between a value and its interval. */
const APART = 8;

const numbersWidth = (found: Contrast) =>
  textWidth(number(found.value, 3), 12, true) + APART + textWidth(range(found.low, found.high), 12);

const decimals = (shown: number[]) =>
  shown.every((t) => Math.abs(t * 10 - Math.round(t * 10)) < 1e-9) ? 1 : 2;

interface OneProps {
  name: Model;
  found: Contrast;
  x: Scale;
  y: number;
  right: number;
  bold: boolean;
}

function One({ name, found, x, y, right, bold }: OneProps) {
  const end = (v: number) => px(clamp(x(v), ...(x.range as [number, number])));
  return (
    <g
      class={`m-${name}`}
      data-testid="contrast"
      data-model={name}
      data-first={found.first}
      data-second={found.second}
      data-value={found.value}
      data-low={found.low}
      data-high={found.high}
    >
      <path class="contrast-line" d={`M${end(found.low)} ${y}H${end(found.high)}`} />
      <circle class="contrast-dot" cx={end(found.value)} cy={y} r={4} />
      <text class={`t12 ${bold ? "" : "ink2"}`} x={right} y={y + 4} text-anchor="end">
        <tspan class="bold">{number(found.value, 3)}</tspan>
        <tspan dx={APART}>{range(found.low, found.high)}</tspan>
      </text>
    </g>
  );
}
