import { memo } from "../../lib/memo";
import { clamp, type Scale } from "../../lib/scale";
import { textWidth } from "../../lib/textwidth";
import type { Axis, Geometry } from "./layout";
import { shape } from "./marks";
import { fit } from "./texts";

export const HEAD = 42;
export const FOOT = 50;

interface Props {
  g: Geometry;
  scales: Scale[];
  axis: Axis;
  measure: "pse" | "jnd";
  /** The two groups of each plot. */
  names: [string, string][];
}

interface HeadProps extends Props {
  level: number;
  ranked: boolean;
}

/** Over the rows: names of the columns, the neutral value, and which side means what. */
export const RowsHead = memo(function RowsHead(props: HeadProps) {
  const { g, scales, axis, measure, names, level, ranked } = props;
  return (
    <g>
      <text class="t11 ink3" x={g.nameRight} y={18} text-anchor="end">
        word
      </text>
      {scales.map((x, i) => (
        <PlotHead
          key={i}
          x={x}
          axis={axis}
          measure={measure}
          names={names[i] ?? ["group 1", "group 2"]}
          small={scales.length > 1}
        />
      ))}
      {g.ranking === null ? (
        <>
          <text class="t11 ink3" x={g.valueRight} y={18} text-anchor="end">
            {measure.toUpperCase()}
          </text>
          <text class="t11 ink3" x={g.rangeRight} y={18} text-anchor="end">
            {Math.round(level * 100)} %
          </text>
        </>
      ) : (
        ranked && (
          <>
            <text class="t11 ink3" x={g.ranking} y={18}>
              {g.narrow ? "first" : "order"}
            </text>
            <text class="t11 ink3" x={g.rangeRight} y={18} text-anchor="end">
              {g.narrow ? "%" : "first, %"}
            </text>
          </>
        )
      )}
    </g>
  );
});

function PlotHead(props: {
  x: Scale;
  axis: Axis;
  measure: "pse" | "jnd";
  names: [string, string];
  small: boolean;
}) {
  const { x, axis, measure, names, small } = props;
  const [left, right] = x.range;
  if (axis.neutral === null) {
    return (
      <>
        <text class="t11 ink3" x={left} y={18}>
          ← more certain
        </text>
        {!small && (
          <text class="t11 ink3" x={right} y={18} text-anchor="end">
            less certain →
          </text>
        )}
      </>
    );
  }
  const middle = x(axis.neutral);
  const gap = 34;
  if (small) {
    const room = (right - left) / 2 - 3;
    return (
      <>
        <text class="t11 bold fg2" x={left} y={14}>
          {fit(names[1], 11, room, true)}
        </text>
        <text class="t11 bold fg1" x={right} y={14} text-anchor="end">
          {fit(names[0], 11, room, true)}
        </text>
        <text class="t11 bold" x={middle} y={29} text-anchor="middle">
          50
        </text>
        <path class="neutral" d={`M${middle} 33V${HEAD}`} />
      </>
    );
  }
  const label = (name: string, room: number) => fit(`leans ${name}`, 12, room - 16, true);
  const [toward2, toward1] = [
    label(names[1], middle - left - gap),
    label(names[0], right - middle - gap),
  ];
  const wide = (text: string) => textWidth(text, 12, true) + 18;
  return (
    <>
      {wide(toward2) < middle - left - 10 && (
        <text class="t12 bold fg2" x={middle - gap} y={18} text-anchor="end">
          ← {toward2}
        </text>
      )}
      <text class="t11 bold" x={middle} y={13} text-anchor="middle">
        neutral
      </text>
      <text class="t11 ink2" x={middle} y={26} text-anchor="middle">
        50 %
      </text>
      {wide(toward1) < right - middle - 10 && (
        <text class="t12 bold fg1" x={clamp(middle + gap, left, right)} y={18}>
          {toward1} →
        </text>
      )}
      <path class="neutral" d={`M${middle} 31V${HEAD}`} />
      <title>{measure === "pse" ? "A PSE above 50 % leans to group 1" : ""}</title>
    </>
  );
}

/** Lines behind the rows, over all their height. */
export const RowsGrid = memo(function RowsGrid(props: {
  scales: Scale[];
  axis: Axis;
  height: number;
}) {
  const { scales, axis, height } = props;
  const lines = axis.ticks.filter((t) => t !== axis.neutral);
  return (
    <g>
      {scales.map((x, i) => (
        <g key={i}>
          <path class="grid" d={lines.map((t) => `M${x(t)} 0V${height}`).join("")} />
          {axis.neutral !== null && <path class="neutral" d={`M${x(axis.neutral)} 0V${height}`} />}
        </g>
      ))}
    </g>
  );
});

/** Under the rows: the axis, what it is, and what the marks mean. */
export const RowsFoot = memo(function RowsFoot(props: Props & { jnd: string; pooled: boolean }) {
  const { g, scales, axis, measure, names, jnd, pooled } = props;
  const several = scales.length > 1;
  const middle = (scales[0]!.range[0] + scales.at(-1)!.range[1]) / 2;
  const name = several
    ? measure === "pse"
      ? "PSE: % of the second group at the switch"
      : `JND, ${jnd || "%"}`
    : measure === "pse"
      ? `PSE: % ${names[0]?.[1] ?? "group 2"} at the switch`
      : `JND, % of the spectrum${jnd ? ` (${jnd})` : ""}`;
  const [left, right] = [g.plots[0]!.left, g.plots.at(-1)!.right];
  return (
    <g>
      {scales.map((x, i) =>
        axis.ticks.map((t) => {
          const shown = !several || t === axis.neutral || axis.ticks.length <= 3;
          return (
            shown && (
              <text
                key={`${i} ${t}`}
                class={`t11 ${t === axis.neutral ? "bold" : "ink2"}`}
                x={x(t)}
                y={14}
                text-anchor="middle"
              >
                {Math.round(t * 1000) / 10}
              </text>
            )
          );
        }),
      )}
      <text class="t12 ink2" x={middle} y={31} text-anchor="middle">
        {fit(name, 12, Math.max(right - left, g.narrow ? g.width : 0))}
      </text>
      <Legend g={g} pooled={pooled} pse={measure === "pse"} />
    </g>
  );
});

function Legend({ g, pooled, pse }: { g: Geometry; pooled: boolean; pse: boolean }) {
  if (!pse) return null;
  const y = 45;
  const parts: [string, string, string][] = [
    ["pairs", "M-2 0a2 2 0 1 0 4 0a2 2 0 1 0 -4 0", "one cue pair"],
    ["mark ink", shape(1, 0, 0, 3.5), pooled ? "pooled, clear of 50" : "clear of 50"],
    ["mark", shape(0, 0, 0, 3.5), "cannot be told from 50"],
  ];
  const shown = pooled ? parts : parts.slice(1);
  const widths = shown.map(([, , text]) => textWidth(text, 11) + 28);
  let x = Math.max(8, (g.width - widths.reduce((a, b) => a + b, 0)) / 2);
  return (
    <g class="l0" data-testid="legend">
      {shown.map(([look, path, text], i) => {
        const at = x;
        x += widths[i]!;
        return (
          <g key={text} transform={`translate(${at} ${y})`}>
            <path class={look} d={path} />
            <text class="t11 ink3" x={9} y={3.5}>
              {text}
            </text>
          </g>
        );
      })}
    </g>
  );
}
