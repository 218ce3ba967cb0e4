import type { Estimate, GroupPoint, MainEffect } from "../../generated/decisions";
import { points as percent } from "../../lib/format";
import { clamp, linear, type Scale } from "../../lib/scale";
import type { View } from "./store";
import { digitsOf, estimateText, percents, rangeText } from "./texts";

const WIDTH = 200;

/** Every group of the case with its point and its gap to the first; and the effects of traits. */
export function AllGroups({ view }: { view: View }) {
  const { points = [], effects = [], level = 0.95 } = view.answer.picture ?? {};
  const { low, high, unit } = view.card;
  if (points.length === 0) return null;
  const x = linear([low, high], [4, WIDTH - 4]);
  const first = points[0]!.name;
  return (
    <section class="all-groups" aria-label="All groups" data-testid="all-groups-table">
      <table>
        <thead>
          <tr>
            <th scope="col">All groups</th>
            <th scope="col" class="plot-cell">
              <span class="gauge-ends quiet">
                <span>{low}</span>
                <span>PSE, {unit}</span>
                <span>{high}</span>
              </span>
            </th>
            <th scope="col">PSE, {unit}</th>
            <th scope="col">
              Gap to {first}, {unit}
            </th>
            <th scope="col">No answer, %</th>
          </tr>
        </thead>
        <tbody>
          {points.map((point, i) => (
            <Row key={point.name} point={point} at={i} x={x} />
          ))}
        </tbody>
      </table>
      {effects.length > 0 && (
        <ul class="effects" data-testid="effects">
          {effects.map((one) => (
            <Effect key={`${one.trait} ${one.two}`} effect={one} unit={unit} />
          ))}
        </ul>
      )}
      <p class="quiet">
        {Math.round(100 * level)} % intervals, for other names and wordings like these.
      </p>
    </section>
  );
}

function Row({ point, at, x }: { point: GroupPoint; at: number; x: Scale }) {
  const { name, pse, gap, neither } = point;
  const tone = at < 2 ? `g${at + 1}` : "";
  return (
    <tr data-testid={`point-${at + 1}`} data-value={pse.value} data-gap={gap.value}>
      <th scope="row" class={tone}>
        {name}
      </th>
      <td class="plot-cell">
        <Forest pse={pse} tone={at < 2 ? `gauge-${at + 1}` : ""} x={x} />
      </td>
      <td>
        <Numbers of={pse} />
      </td>
      <td>{at === 0 ? <span class="quiet">–</span> : <Numbers of={gap} signed />}</td>
      <td>
        {neither.value === null || neither.low === null || neither.high === null ? (
          "–"
        ) : (
          <>
            <b>{percent(neither.value)}</b> ({percents(neither.low, neither.high)})
          </>
        )}
      </td>
    </tr>
  );
}

/** A point with its interval, cut off at the ends of the axis. */
function Forest({ pse, tone, x }: { pse: Estimate; tone: string; x: Scale }) {
  const inside = (value: number | null, open: number) =>
    clamp(value === null ? open : x(value), 1, WIDTH - 1);
  const [low, high] = [inside(pse.low, 0), inside(pse.high, WIDTH)];
  return (
    <svg
      viewBox={`0 0 ${WIDTH} 16`}
      preserveAspectRatio="none"
      class="gauge-line"
      aria-hidden="true"
    >
      <line class="gauge-base" x1={0} x2={WIDTH} y1={8} y2={8} />
      <g class={tone}>
        {(pse.low !== null || pse.high !== null) && (
          <line class="gauge-range" x1={low} x2={high} y1={8} y2={8} />
        )}
        {pse.value !== null && (
          <line
            class="gauge-value"
            x1={inside(pse.value, 0)}
            x2={inside(pse.value, 0)}
            y1={8}
            y2={8}
          />
        )}
      </g>
    </svg>
  );
}

function Numbers({ of, signed }: { of: Estimate; signed?: boolean }) {
  const digits = digitsOf(of.low, of.high);
  if (of.low === null && of.high === null) return <>–</>;
  const sign = signed && of.value !== null && Number(of.value.toFixed(digits)) > 0 ? "+" : "";
  return (
    <>
      <b>
        {sign}
        {estimateText(of, digits)}
      </b>{" "}
      ({rangeText(of.low, of.high, digits)})
    </>
  );
}

function Effect({ effect: { trait, one, two, effect }, unit }: EffectProps) {
  return (
    <li data-testid={`effect-${trait}`} data-value={effect.value}>
      Main effect of {trait}, {two} against {one}: <Numbers of={effect} signed /> {unit}
    </li>
  );
}

interface EffectProps {
  effect: MainEffect;
  unit: string;
}
