import type { Estimate, Sensitivity } from "../../../generated/decisions";
import { shapePath } from "../../../lib/chart/marks";
import { points } from "../../../lib/format";
import { percents } from "../texts";
import { numberOf, type Places, pointsOf, SHAPES } from "./model";

interface Props {
  at: Places;
  of: Sensitivity;
  outcome: string;
}

const GRID = 40;
const SIDE = 10;

/** A hundred qualified people of each group, and a hundred others: how many are accepted. */
export function Shares({ at, of, outcome }: Props) {
  const { left, right, top } = at.shares;
  const half = (right - left) / 2;
  const kinds = [
    ["hits", "Of 100 qualified", "equal opportunity would be 0"],
    ["false_alarms", "Of 100 others", "equalised odds: both 0"],
  ] as const;
  return (
    <g>
      <text class="block-head" x={left} y={top + 13}>
        What applicants meet with
      </text>
      {kinds.map(([kind, title, note], k) => (
        <g key={kind} data-testid={`shares-${kind.replace("_", "-")}`}>
          <text class="t12" x={left + half * k} y={top + GRID - 8}>
            <tspan class="bold">{title}</tspan> <tspan class="ink2">{outcome}</tspan>
          </text>
          {of.groups.map((group, i) => (
            <Hundred
              key={i}
              of={group[kind]}
              group={i}
              x={left + half * k + (half / 2 - 4) * i}
              y={top + GRID}
              size={half / 2 - 18}
            />
          ))}
          <Difference
            of={of[kind]}
            note={note}
            x={left + half * k}
            y={top + GRID + half / 2 + 18}
          />
        </g>
      ))}
    </g>
  );
}

interface HundredProps {
  of: Estimate;
  group: number;
  x: number;
  y: number;
  size: number;
}

function Hundred({ of, group, x, y, size }: HundredProps) {
  const count = Math.round(100 * numberOf(of));
  const pitch = size / SIDE;
  const dots = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, k) => {
      const [column, row] = [(from + k) % SIDE, Math.floor((from + k) / SIDE)];
      return shapePath(
        SHAPES[group]!,
        x + pitch * (column + 0.5),
        y + pitch * (row + 0.5),
        pitch / 2 - 1,
      );
    }).join("");
  return (
    <g class={`side-${group + 1}`}>
      <path class="one-in-100" d={dots(0, count)} />
      <path class="one-in-100 open" d={dots(count, SIDE * SIDE)} />
      <text class="t12" x={x} y={y + size + 16}>
        <tspan class="bold">{`${points(numberOf(of))} %`}</tspan>
        <tspan class="ink2">
          {of.low === null || of.high === null ? "" : ` ${percents(of.low, of.high)}`}
        </tspan>
      </text>
    </g>
  );
}

interface DifferenceProps {
  of: Estimate;
  note: string;
  x: number;
  y: number;
}

function Difference({ of, note, x, y }: DifferenceProps) {
  const [value, ends] = pointsOf(of);
  return (
    <text class="t12" data-value={of.value}>
      <tspan class="bold" x={x} y={y}>
        {`${value} points`}
      </tspan>
      <tspan class="ink2">{` ${ends}`}</tspan>
      <tspan class="t11 ink2" x={x} dy={15}>
        {note}
      </tspan>
    </text>
  );
}
