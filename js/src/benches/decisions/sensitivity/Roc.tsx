import type { Sensitivity } from "../../../generated/decisions";
import { around, boxOf, overlap } from "../../../lib/boxes";
import { Mark, shapePath } from "../../../lib/chart/marks";
import { percent, points } from "../../../lib/format";
import { px } from "../../../lib/marks";
import { clamp, linear } from "../../../lib/scale";
import { fit, textWidth } from "../../../lib/textwidth";
import { percents } from "../texts";
import { numberOf, type Places, REACH, ROC_ROOM, ratesAt, rocPath, SHAPES, zOf } from "./model";

interface Props {
  at: Places;
  of: Sensitivity;
  names: readonly string[];
  outcome: string;
  z: boolean;
}

const SAME = [0, 0.5, 1, 2, 3];
const SHARES = [0, 0.25, 0.5, 0.75, 1];
const SCORES = [-3, -2, -1, 0, 1, 2, 3];

/** Hits against false alarms of both groups, on the curves that their sensitivity gives. */
export function Roc({ at, of, names, outcome, z }: Props) {
  const area = at.roc;
  const [left, top] = [area.left + ROC_ROOM.left, area.top + ROC_ROOM.top];
  const [right, bottom] = [area.right, area.bottom - ROC_ROOM.bottom];
  const domain = z ? REACH : ([0, 1] as const);
  const x = linear(domain, [left, right]);
  const y = linear(domain, [bottom, top]);
  const own = z ? zOf : (share: number) => share;
  // A share of 0 or 1 has no z-score: it stands at the edge.
  const sx = (share: number) => x(clamp(own(share), ...domain));
  const sy = (share: number) => y(clamp(own(share), ...domain));
  const path = (d: number) => rocPath(d, z ? REACH[1] - Math.abs(d) / 2 : 6, sx, sy);
  const placed = of.groups.map(({ hits, false_alarms }) => ({
    x: sx(numberOf(false_alarms)),
    y: sy(numberOf(hits)),
  }));
  const ofCues = of.groups.flatMap(({ cues }) =>
    cues.map((cue) => ({ x: sx(cue.false_alarms), y: sy(cue.hits) })),
  );
  const unit = z ? "z-score" : "%";
  return (
    <g data-testid="roc">
      <text class="block-head" x={area.left} y={area.top + 13}>
        Two points on one curve
      </text>
      <text class="t11 ink2" x={area.left} y={area.top + 36}>
        {`${outcome}, of the qualified, ${unit} (hits)`}
      </text>
      {(z ? SCORES : SHARES).map((tick) => (
        <g key={tick}>
          <path
            class="hair"
            d={`M${px(x(tick))} ${bottom}V${top}M${left} ${px(y(tick))}H${right}`}
          />
          <text class="t11 ink2" x={x(tick)} y={bottom + 16} text-anchor="middle">
            {z ? tick.toString().replace("-", "−") : points(tick)}
          </text>
          <text class="t11 ink2" x={left - 8} y={y(tick) + 4} text-anchor="end">
            {z ? tick.toString().replace("-", "−") : points(tick)}
          </text>
        </g>
      ))}
      <text class="t11 ink2" x={(left + right) / 2} y={bottom + 33} text-anchor="middle">
        {`${outcome}, of the others, ${unit} (false alarms)`}
      </text>
      {SAME.map((d) => (
        <Same
          key={d}
          d={d}
          path={path(d)}
          x={sx}
          y={sy}
          named={!z || Number.isInteger(d)}
          marks={[...placed, ...ofCues]}
        />
      ))}
      {of.groups.map(({ d }, i) => (
        <path
          key={i}
          class={`curve c${i + 1}`}
          d={path(numberOf(d))}
          data-testid={`roc-curve-${i + 1}`}
        />
      ))}
      {of.groups.map(({ cues }, i) => (
        <g key={i} class={`side-${i + 1}`}>
          {cues.map((cue) => (
            <path
              key={cue.name}
              class="one-cue"
              d={shapePath(SHAPES[i]!, sx(cue.false_alarms), sy(cue.hits), 2)}
            >
              <title>{`${cue.name}: ${percent(cue.hits)} hits, ${percent(cue.false_alarms)} false alarms`}</title>
            </path>
          ))}
        </g>
      ))}
      {of.groups.map(({ hits, false_alarms: falseAlarms }, i) => {
        const { x: px_, y: py } = placed[i]!;
        const across = `M${px(sx(falseAlarms.low ?? 0))} ${px(py)}H${px(sx(falseAlarms.high ?? 1))}`;
        const up = `M${px(px_)} ${px(sy(hits.low ?? 0))}V${px(sy(hits.high ?? 1))}`;
        return (
          <g
            key={i}
            class={`side-${i + 1}`}
            data-testid={`roc-point-${i + 1}`}
            data-hits={hits.value}
            data-false-alarms={falseAlarms.value}
          >
            <path class="interval" d={across + up} />
            <Mark x={px_} y={py} shape={SHAPES[i]} size={5.5} />
          </g>
        );
      })}
      {of.groups.map(({ hits, false_alarms: falseAlarms }, i) => {
        const base = bottom - 62 + 34 * i;
        const text = (one: typeof hits) =>
          one.low === null || one.high === null
            ? percent(numberOf(one))
            : `${percent(numberOf(one))} (${percents(one.low, one.high)})`;
        return (
          <text key={i} class={`t11 halo ink2`} text-anchor="end">
            <tspan class={`bold fg${i + 1}`} x={right - 6} y={base}>
              {fit(names[i] ?? "", 11, right - left - 20, true)}
            </tspan>
            <tspan x={right - 6} y={base + 14}>
              {`${text(hits)} hits, ${text(falseAlarms)} false alarms`}
            </tspan>
          </text>
        );
      })}
      <Legend left={left} y={bottom + 52} />
    </g>
  );
}

interface SameProps {
  d: number;
  path: string;
  x: (share: number) => number;
  y: (share: number) => number;
  named: boolean;
  marks: readonly { x: number; y: number }[];
}

/** A curve of equal sensitivity; its name stands where no group's point is. */
function Same({ d, path, x, y, named, marks }: SameProps) {
  const { hits, falseAlarms } = ratesAt(d, 0);
  const place = { x: x(falseAlarms) + 5, y: y(hits) + 13 };
  const text = d === 0 ? "d′ 0: no difference seen" : `d′ ${d}`;
  const box = boxOf(place.x, place.y, textWidth(text, 11), "start");
  const inWay = marks.some((mark) => overlap(box, around(mark, 9)));
  return (
    <g>
      <path class={d === 0 ? "chance" : "same-d"} d={path} />
      {!inWay && named && (
        <text class="t11 ink3 halo" x={place.x} y={place.y}>
          {text}
        </text>
      )}
    </g>
  );
}

function Legend({ left, y }: { left: number; y: number }) {
  const items = [
    ["this subject’s own cut, with its interval", 5],
    ["one name", 2],
  ] as const;
  let at = left;
  return (
    <g class="side-0">
      {items.map(([text, size]) => {
        const from = at;
        at += 24 + textWidth(text, 11);
        return (
          <g key={text}>
            <path class="mark" d={shapePath("ring", from + 5, y - 4, size)} />
            <text class="t11 ink2" x={from + 13} y={y}>
              {text}
            </text>
          </g>
        );
      })}
    </g>
  );
}
