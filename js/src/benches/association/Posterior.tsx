import type { Estimate, Posterior, Side } from "../../generated/association";
import { px } from "../../lib/marks";
import { memo } from "../../lib/memo";
import { clamp, type Scale } from "../../lib/scale";
import { Foot, Grid, Head, Names } from "./Frame";
import { type Geometry, HEAD, laneY, type Rows, type WordRow } from "./layout";
import { type Key, shape } from "./marks";

interface Props {
  side: Side | null;
  posterior: Posterior | null;
  rows: Rows;
  g: Geometry;
  x: Scale;
}

/** What the data support: for each word and connection type an estimate with its interval. */
export const Estimates = memo(function Estimates({ side, posterior, rows, g, x }: Props) {
  const connections = side?.connections ?? [];
  return (
    <g>
      <g transform={`translate(0 ${HEAD})`}>
        <Names g={g} rows={rows} />
        <Grid g={g} x={x} height={rows.height} />
        {posterior &&
          rows.words.map((row) =>
            connections.map(({ key }, lane) => {
              const found = posterior.words[row.index]?.[lane] ?? null;
              return (
                found && (
                  <One
                    key={`${row.index} ${key}`}
                    name={key}
                    row={row}
                    y={laneY(row, lane, connections.length)}
                    found={found}
                    x={x}
                  />
                )
              );
            }),
          )}
      </g>
      <Head g={g} x={x} mac={null} />
      <g transform={`translate(0 ${HEAD + rows.height})`}>
        <Foot g={g} x={x} neutral={1} name="cosine distance" />
      </g>
    </g>
  );
});

interface OneProps {
  name: Key;
  row: WordRow;
  y: number;
  found: Estimate;
  x: Scale;
}

function One({ name, row, y, found, x }: OneProps) {
  const [from, to] = x.range;
  const end = (v: number) => px(clamp(x(v), from, to));
  const inside = x(found.value) >= from && x(found.value) <= to;
  return (
    <g
      class={`c-${name}`}
      data-testid="estimate"
      data-word={row.word}
      data-connection={name}
      data-value={found.value}
      data-low={found.low}
      data-high={found.high}
    >
      <path class="interval" d={`M${end(found.low)} ${px(y)}H${end(found.high)}`} />
      {inside && <path class="mark" d={shape(name, x(found.value), y, 3)} />}
    </g>
  );
}
