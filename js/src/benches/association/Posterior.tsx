import type { Posterior, Side } from "../../generated/association";
import type { Columns } from "../../lib/chart/Forest";
import type { RowMark } from "../../lib/chart/marks";
import { memo } from "../../lib/memo";
import type { Scale } from "../../lib/scale";
import { Axis, Words } from "./Frame";
import { HEAD, laneDy, type Rows, type WordRow } from "./layout";
import { SHAPES } from "./marks";

interface Props {
  side: Side | null;
  posterior: Posterior | null;
  rows: Rows;
  columns: Columns;
  x: Scale;
}

/** What the data support: for each word and connection type an estimate with its interval. */
export const Estimates = memo(function Estimates({ side, posterior, rows, columns, x }: Props) {
  const connections = side?.connections ?? [];
  const marksOf = ({ index, name }: WordRow) =>
    connections.flatMap(({ key }, lane): RowMark | [] => {
      const estimate = posterior?.words[index]?.[lane];
      if (!estimate) return [];
      const { value, low, high } = estimate;
      return {
        ...estimate,
        dy: laneDy(lane, connections.length),
        look: `c-${key}`,
        shape: SHAPES[key],
        size: 3,
        data: { testid: "estimate", word: name, connection: key, value, low, high },
      };
    });
  return (
    <g transform={`translate(0 ${HEAD})`}>
      <Axis columns={columns} x={x} rows={rows} mac={null} />
      <Words columns={columns} x={x} rows={rows} marksOf={marksOf} />
    </g>
  );
});
