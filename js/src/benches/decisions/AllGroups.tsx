import type { Estimate, GroupPoint, MainEffect } from "../../generated/decisions";
import { Lane } from "../../lib/chart/Lane";
import { leaning } from "../../lib/chart/marks";
import { points as percent } from "../../lib/format";
import type { View } from "./store";
import { digitsOf, estimateText, percents, rangeText } from "./texts";

/** How the marks of the two groups that are compared look; others are in ink. */
const GROUPS = [leaning(1), leaning(-1)];

/** An interval without an end reaches to that of the axis. */
const within = ({ value, low, high }: Estimate, [from, to]: readonly [number, number]): Estimate =>
  low === null && high === null
    ? { value, low, high }
    : { value, low: low ?? from, high: high ?? to };

/** Every group of the case with its point and its gap to the first; and the effects of traits. */
export function AllGroups({ view }: { view: View }) {
  const { points = [], effects = [], level = 0.95 } = view.answer.picture ?? {};
  const { low, high, unit } = view.card;
  if (points.length === 0) return null;
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
            <Row key={point.name} point={point} at={i} domain={[low, high]} />
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

interface RowProps {
  point: GroupPoint;
  at: number;
  domain: readonly [number, number];
}

function Row({ point, at, domain }: RowProps) {
  const { name, pse, gap, neither } = point;
  const tone = at < 2 ? `g${at + 1}` : "";
  return (
    <tr data-testid={`point-${at + 1}`} data-value={pse.value} data-gap={gap.value}>
      <th scope="row" class={tone}>
        {name}
      </th>
      <td class="plot-cell">
        <Lane domain={domain} marks={[{ ...within(pse, domain), ...GROUPS[at] }]} />
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
