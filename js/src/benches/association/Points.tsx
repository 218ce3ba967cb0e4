import type { Side } from "../../generated/association";
import type { Columns } from "../../lib/chart/Forest";
import { beyondPath, Mark } from "../../lib/chart/marks";
import { Numbers } from "../../lib/chart/ValueAxis";
import { fixed, whole } from "../../lib/format";
import { px, tickPath } from "../../lib/marks";
import { memo } from "../../lib/memo";
import { axisTicks, linear, type Scale } from "../../lib/scale";
import { textWidth } from "../../lib/textwidth";
import { Axis, Words } from "./Frame";
import { HEAD, laneHeight, laneY, type Rows } from "./layout";
import { LABELS, SHAPES } from "./marks";
import { between } from "./slide";

interface Props {
  side: Side | null;
  rows: Rows;
  columns: Columns;
  x: Scale;
  /** Which step, or between which two: 1 every distance, 2 means, 3 means of means, 4 one number. */
  at: number;
}

/** The points as the step shows them, each on its way to what it becomes in the next. */
export const Points = memo(function Points({ side, rows, columns, x, at }: Props) {
  const effect = effectScale(side, columns);
  const { height } = rows;
  return (
    <g transform={`translate(0 ${HEAD})`}>
      {at <= 3 && (
        <Axis columns={columns} x={x} rows={rows} mac={at < 3 && side ? side.mac : null} />
      )}
      {at < 3 && <Words columns={columns} x={x} rows={rows} />}
      {side && at < 2 && <Ticks side={side} rows={rows} x={x} share={at - 1} />}
      {side && at >= 2 && at < 3 && (
        <Means side={side} rows={rows} x={x} share={at - 2} height={height} />
      )}
      {side && at >= 3 && (
        <Macs side={side} columns={columns} x={x} effect={effect} share={at - 3} height={height} />
      )}
      {at > 3 && (
        <EffectAxis side={side} columns={columns} x={effect} height={height} arrived={at === 4} />
      )}
    </g>
  );
});

interface StepProps {
  side: Side;
  rows: Rows;
  x: Scale;
  share: number;
}

/** All distances: one path for each word and connection type. */
function Ticks({ side, rows, x, share }: StepProps) {
  const n = side.connections.length;
  const height = px(laneHeight(n));
  return (
    <g>
      {rows.words.map((row) =>
        side.connections.map(({ key }, lane) => {
          const values = side.distances[row.index]?.[lane] ?? [];
          const mean = side.means[row.index]?.[lane] ?? null;
          const goal = mean === null ? null : x(mean);
          const xs = values.map((v) => (goal === null ? x(v) : between(x(v), goal, share)));
          const y = laneY(row, lane, n);
          const inside = xs.filter((at) => at >= x.range[0] && at <= x.range[1]);
          return (
            <g key={`${row.index} ${key}`} class={`c-${key}`}>
              <path
                class={`tick c-${key}`}
                d={tickPath(inside, y, height)}
                data-testid="lane"
                data-word={row.name}
                data-connection={key}
                data-count={values.length}
              />
              {inside.length < xs.length && (
                <path class="beyond" d={beyondPath(xs, linear(x.range, x.range), y)} />
              )}
            </g>
          );
        }),
      )}
    </g>
  );
}

/** Where the mark of a connection type stands in the third step. */
export const macY = (lane: number, n: number, height: number) =>
  height / 2 + (lane - (n - 1) / 2) * Math.min(64, height / (n + 1));

function Means({ side, rows, x, share, height }: StepProps & { height: number }) {
  const n = side.connections.length;
  return (
    <g>
      {side.connections.map(({ key, mac }, lane) => (
        <g key={key} class={`c-${key}`}>
          {rows.words.map((row) => {
            const mean = side.means[row.index]?.[lane] ?? null;
            if (mean === null) return null;
            const goal = mac === null ? x(mean) : x(mac);
            const y = between(laneY(row, lane, n), macY(lane, n, height), share);
            return (
              <Mark
                key={row.index}
                x={between(x(mean), goal, share)}
                y={y}
                shape={SHAPES[key]}
                size={3.5}
                data-testid="mean"
                data-word={row.name}
                data-connection={key}
                data-value={mean}
              />
            );
          })}
        </g>
      ))}
    </g>
  );
}

interface MacProps {
  side: Side;
  columns: Columns;
  x: Scale;
  effect: Scale;
  share: number;
  height: number;
}

/** One mark for each connection type; all of them go into one number. */
function Macs({ side, columns, x, effect, share, height }: MacProps) {
  const { left, right, nameRight } = columns;
  const n = side.connections.length;
  const size = side.weat?.effect_size ?? null;
  const end = size === null ? (left + right) / 2 : effect(size);
  if (share >= 1) return null;
  return (
    <g>
      {side.connections.map(({ key, mac }, lane) => {
        if (mac === null) return null;
        const y = macY(lane, n, height);
        const to = between(y, height / 2, share);
        return (
          <g key={key} class={`c-${key}`}>
            {share === 0 && (
              <>
                <path class="hair" d={`M${left} ${y}H${right}`} />
                <text class="t12" x={nameRight} y={y + 4} text-anchor="end">
                  {LABELS[key]}
                </text>
                <text class="t13 bold halo" x={x(mac) - 14} y={y + 4} text-anchor="end">
                  {fixed(mac, 2)}
                </text>
              </>
            )}
            <Mark
              x={between(x(mac), end, share)}
              y={to}
              shape={SHAPES[key]}
              size={6}
              data-testid="mac"
              data-connection={key}
              data-value={mac}
            />
          </g>
        );
      })}
    </g>
  );
}

/** The axis of effect sizes, as far as the ceiling goes and a little more. */
export function effectScale(side: Side | null, { left, right }: Columns): Scale {
  const weat = side?.weat ?? null;
  const reach = Math.max(2, weat?.ceiling ?? 0, Math.abs(weat?.effect_size ?? 0)) * 1.08;
  return linear([-reach, reach], [left, right]);
}

interface EffectProps {
  side: Side | null;
  columns: Columns;
  x: Scale;
  height: number;
  /** All marks have become the one number. */
  arrived: boolean;
}

function EffectAxis({ side, columns, x, height, arrived }: EffectProps) {
  const { left, right, nameRight, width } = columns;
  const weat = side?.weat ?? null;
  const y = height / 2;
  if (!weat) {
    return (
      <text class="t12 ink2" x={(left + right) / 2} y={y} text-anchor="middle">
        no effect size
      </text>
    );
  }
  const { ceiling, effect_size: size } = weat;
  return (
    <g>
      <path class="axis-line" d={`M${left} ${y}H${right}`} />
      <path class="neutral" d={`M${px(x(0))} ${y - 34}V${y + 14}`} />
      <text class="t11 bold" x={x(0)} y={y - 42} text-anchor="middle">
        no association 0
      </text>
      <text class="t12" x={nameRight} y={y + 4} text-anchor="end">
        effect size
      </text>
      {[-ceiling, ceiling].map((end) => (
        <g key={end}>
          <path class="ceiling" d={`M${px(x(end))} ${y - 18}V${y + 18}`} />
          <text class="t11 warn-text" x={x(end)} y={y - 24} text-anchor={endAnchor(end, x, width)}>
            ceiling {fixed(end, 2)}
          </text>
        </g>
      ))}
      <text class="t12 ink2" x={(left + right) / 2} y={y + 56} text-anchor="middle">
        {`${whole(side!.total)} distances became one number.`}
      </text>
      <Numbers
        x={x}
        ticks={axisTicks(x.domain, 0, right - left)}
        neutral={0}
        y={height}
        title="effect size"
      />
      {size !== null && arrived && (
        <g>
          <circle
            class="outcome"
            cx={px(x(size))}
            cy={y}
            r={7}
            data-testid="effect-mark"
            data-value={size}
          />
          <text class="t13 bold outcome-text halo" x={x(size)} y={y + 26} text-anchor="middle">
            {fixed(size, 2)}
          </text>
        </g>
      )}
    </g>
  );
}

/** A name at the end of the axis stays in the picture. */
function endAnchor(value: number, x: Scale, width: number) {
  const half = textWidth("ceiling −1.90", 11) / 2;
  if (x(value) + half > width) return "end";
  return x(value) - half < 0 ? "start" : "middle";
}
