import type { RefObject } from "preact";
import type { Gap, Sensitivity } from "../../../generated/decisions";
import { Handle } from "../../../lib/chart/Handle";
import { intervalPath, Mark } from "../../../lib/chart/marks";
import { Numbers } from "../../../lib/chart/ValueAxis";
import { fixed, percent } from "../../../lib/format";
import { handleKey } from "../../../lib/keys";
import { px } from "../../../lib/marks";
import { clamp, linear, type Scale } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import type { Store, View } from "../store";
import { densityPath, evidence, numberOf, type Places, REACH, ratesAt, textsOf } from "./model";

interface Props {
  at: Places;
  of: Sensitivity;
  store: Store;
  view: View;
  svg: RefObject<SVGSVGElement | null>;
}

const FIRST = 52;
const PEAK = 76;
const EACH = 122;
const TICKS = [-3, -2, -1, 0, 1, 2, 3];

/** The evidence for both kinds of people, by group, and the criterion from which it suffices. */
export function Lines({ at, of, store, view, svg }: Props) {
  const area = at.lines;
  const x = evidence(area);
  const compared = area.top + FIRST + 2 * EACH + 4;
  const axis = compared + 62;
  const { outcome } = view.card;
  return (
    <g data-testid="criteria">
      <text class="block-head" x={area.left} y={area.top + 13}>
        Where it draws the line
      </text>
      <path class="neutral-line" d={`M${px(x(0))} ${area.top + FIRST - 10}V${compared + 34}`} />
      <text class="t11 bold" x={x(0)} y={area.top + FIRST - 16} text-anchor="middle">
        leans to neither answer
      </text>
      {of.groups.map((_, i) => (
        <Evidence
          key={i}
          at={i}
          of={of}
          x={x}
          base={area.top + FIRST + PEAK + 20 + EACH * i}
          outcome={outcome}
        />
      ))}
      <Asked c={of.c} of={of} x={x} y={compared + 14} />
      <Common of={of} x={x} y={axis} store={store} view={view} svg={svg} />
    </g>
  );
}

interface EvidenceProps {
  /** Place of the group. */
  at: number;
  of: Sensitivity;
  x: Scale;
  /** Where the densities are 0. */
  base: number;
  outcome: string;
}

function Evidence({ at, of, x, base, outcome }: EvidenceProps) {
  const { d, c, hits, false_alarms: falseAlarms } = of.groups[at]!;
  const y = linear([0, 1], [base, base - PEAK]);
  const [noise, signal] = [-numberOf(d) / 2, numberOf(d) / 2];
  const cut = clamp(numberOf(c), ...REACH);
  const area = (mean: number) =>
    `${densityPath(mean, [cut, REACH[1]], x, y)}V${base}H${px(x(cut))}z`;
  const [left, right] = x.range;
  const side = x(cut) + textWidth(`${outcome} from here: c = −0.00`, 11, true) + 6 < right ? 1 : -1;
  return (
    <g
      class={`side-${at + 1}`}
      data-testid={`criterion-${at + 1}`}
      data-value={c.value}
      data-d={d.value}
    >
      <path class="evidence-area others" d={area(noise)} />
      <path class="evidence-area" d={area(signal)} />
      <path class="evidence others" d={densityPath(noise, REACH, x, y)} />
      <path class="evidence" d={densityPath(signal, REACH, x, y)} />
      <path class="hair" d={`M${left} ${base}H${right}`} />
      <path class="interval" d={`M${px(x(cut))} ${base + 6}V${base - PEAK - 14}`} />
      <text
        class={`t11 bold halo fg${at + 1}`}
        x={x(cut) + 6 * side}
        y={base - PEAK - 6}
        text-anchor={side > 0 ? "start" : "end"}
      >
        {`${outcome} from here: c = ${textsOf(c)[0]}`}
      </text>
      <Kind
        at={left}
        base={base}
        anchor="start"
        name="the others"
        share={`${percent(numberOf(falseAlarms))} ${outcome}`}
        look="ink2"
      />
      <Kind
        at={right}
        base={base}
        anchor="end"
        name="the qualified"
        share={`${percent(numberOf(hits))} ${outcome}`}
        look={`fg${at + 1}`}
      />
      <path
        class="d-bar"
        d={`M${px(x(noise))} ${base + 9}v8M${px(x(signal))} ${base + 9}v8M${px(x(noise))} ${base + 13}H${px(x(signal))}`}
      />
      <text class="t11 bold" x={Math.min(x(noise), x(signal)) - 7} y={base + 17} text-anchor="end">
        {`d′ = ${textsOf(d)[0]}`}
      </text>
    </g>
  );
}

interface KindProps {
  at: number;
  base: number;
  anchor: "start" | "end";
  name: string;
  share: string;
  look: string;
}

const Kind = ({ at, base, anchor, name, share, look }: KindProps) => (
  <text class="t11 halo" text-anchor={anchor}>
    <tspan class={`bold ${look}`} x={at} y={base - 40}>
      {name}
    </tspan>
    <tspan class="ink2" x={at} y={base - 26}>
      {share}
    </tspan>
  </text>
);

interface AskedProps {
  c: Gap;
  of: Sensitivity;
  x: Scale;
  y: number;
}

/** How much more it asks of the second group, with both intervals, beside the margin. */
function Asked({ c, of, x, y }: AskedProps) {
  const first = numberOf(of.groups[0]!.c);
  const from = (value: number | null) => (value === null ? null : clamp(first + value, ...REACH));
  const to = { value: from(c.value), low: from(c.low), high: from(c.high) };
  const [left, right] = x.range;
  const band = [first - c.margin, first + c.margin].map((edge) => clamp(x(edge), left, right));
  const isClear = (c.low ?? 0) > 0 || (c.high ?? 0) < 0;
  const [signed] = textsOf(c, true);
  const asked = isClear
    ? `asks ${signed.slice(1)} ${signed.startsWith("+") ? "more" : "less"}`
    : `c differs by ${signed}`;
  const ends = `: ${textsOf(c)[1]}; alike within ± ${Number(c.margin.toPrecision(3))}`;
  const half = textWidth(`${asked}${ends}`, 12, true) / 2;
  const middle = clamp(x(to.value ?? first), left + half, right - half);
  return (
    <g
      class="compared"
      data-testid="criterion-difference"
      data-value={c.value}
      data-low={c.low}
      data-high={c.high}
    >
      <rect
        class="margin-band"
        x={band[0]}
        y={y - 14}
        width={Math.max(1, band[1]! - band[0]!)}
        height={30}
      />
      <path class="interval" d={intervalPath(to, x, y)} />
      <path
        class="these"
        d={intervalPath(
          { value: null, low: from(c.these_low), high: from(c.these_high) },
          x,
          y + 9,
        )}
      />
      {to.value !== null && <Mark x={x(to.value)} y={y} />}
      <text class="t12 halo" x={middle} y={y + 32} text-anchor="middle">
        <tspan class="bold">{asked}</tspan>
        <tspan class="ink2">{ends}</tspan>
      </text>
    </g>
  );
}

interface CommonProps extends Omit<Props, "at"> {
  x: Scale;
  y: number;
}

/** One criterion for both groups, and what it would bring each of them. */
function Common({ of, x, y, store, view, svg }: CommonProps) {
  const { cut } = view.inputs;
  const [left, right] = x.range;
  const shares = of.groups.map(({ d }) => ratesAt(numberOf(d), cut));
  const said = shares.map(
    ({ hits, falseAlarms }) => `${percent(hits)} hits, ${percent(falseAlarms)} false alarms`,
  );
  const names = [0, 1].map((i) => view.card.groups[i]?.cues[0]?.text ?? "");
  return (
    <g data-testid="common">
      <rect class="axis-bar" x={left} y={y - 3} width={right - left} height={6} rx={3} />
      <Numbers
        x={x}
        ticks={TICKS}
        neutral={0}
        y={y + 9}
        title="evidence that the subject goes by, in standard deviations"
      />
      <Handle
        svg={svg}
        x={x(clamp(cut, ...REACH))}
        y={y}
        get={() => store.view.inputs.cut}
        set={(to) => store.set({ cut: Number((Math.round(to / STEP) * STEP).toFixed(2)) })}
        at={(to) => clamp(x.invert(to), ...REACH)}
        move={(event) =>
          handleKey(
            event,
            store.view.inputs.cut,
            { low: REACH[0], high: REACH[1], step: STEP, far: 0.5 },
            { n: 0 },
          )
        }
        onDrag={(dragging) => store.drag(dragging)}
        label="One criterion for both groups"
        value={{
          min: REACH[0],
          now: cut,
          max: REACH[1],
          text: [fixed(cut, 2), ...said.map((text, i) => `${names[i]} ${text}`)].join(", "),
        }}
        hits={[{ look: "axis-hit", x: left, y: y - 12, width: right - left, height: 24 }]}
        data-testid="cut-handle"
      />
      <text class="t12 ink2">
        <tspan x={left} y={y + 66}>
          With one criterion for both, at <tspan class="bold accent-fill">{fixed(cut, 2)}</tspan>:
        </tspan>
        {said.map((text, i) => (
          <tspan key={i} x={left} dy={17} data-testid={`common-${i + 1}`}>
            <tspan class={`bold fg${i + 1}`}>{`${names[i]} …`}</tspan> {text}
          </tspan>
        ))}
      </text>
    </g>
  );
}

const STEP = 0.05;
