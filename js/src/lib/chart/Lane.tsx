import { clamp } from "../scale";
import type { RowMark } from "./marks";

interface Props {
  /** Values at the ends of the cell. */
  domain: readonly [number, number];
  neutral?: number | null;
  /** Other values that have a line. */
  ticks?: readonly number[];
  marks: readonly RowMark[];
}

const MIDDLE = 10;

/** Intervals and their points in a cell of a table, as wide as the cell; the row says them in words. */
export function Lane({ domain: [low, high], neutral = null, ticks = [], marks }: Props) {
  const at = (value: number) => `${(100 * (clamp(value, low, high) - low)) / (high - low || 1)}%`;
  // A point is a line without length: its caps do not stretch with the cell.
  const line = (look: string, y: number, from: number, to = from) => (
    <line class={look} x1={at(from)} x2={at(to)} y1={y} y2={y} />
  );
  return (
    <svg class="lane" aria-hidden="true">
      {[...ticks, neutral].map(
        (t) =>
          t !== null && (
            <line key={t} class={t === neutral ? "zero" : "tick"} x1={at(t)} x2={at(t)} y2="100%" />
          ),
      )}
      {marks.map(({ value, low: from, high: to, look, shape = "circle", dy = 0 }, i) => (
        <g key={i} class={look}>
          {from !== null && to !== null && line("reach", MIDDLE + dy, from, to)}
          {value !== null && value >= low && value <= high && (
            <>
              {line(`dot ${shape}`, MIDDLE + dy, value)}
              {shape === "hollow" && line("hole", MIDDLE + dy, value)}
            </>
          )}
        </g>
      ))}
    </svg>
  );
}
