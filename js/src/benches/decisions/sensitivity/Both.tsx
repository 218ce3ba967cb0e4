import type { Gap, Sensitivity } from "../../../generated/decisions";
import { columnsFor, Forest, type Row } from "../../../lib/chart/Forest";
import { leaning } from "../../../lib/chart/marks";
import { Grid, Numbers } from "../../../lib/chart/ValueAxis";
import { axisTicks, domainOver, linear } from "../../../lib/scale";
import { type Places, SHAPES, textsOf } from "./model";

interface Props {
  at: Places;
  of: Sensitivity;
  names: readonly string[];
}

const ROW = 22;
const HEAD = 40;
const PART = 126;

/** Sensitivity and criterion of both groups, and their differences beside the margins. */
export function Both({ at, of, names }: Props) {
  const { left, top } = at.forest;
  return (
    <g>
      <text class="block-head" x={left} y={top + 13}>
        See worse, or ask more?
      </text>
      <Measure at={at} of={of} names={names} measure="d" title="d′, sensitivity" top={top + HEAD} />
      <Measure
        at={at}
        of={of}
        names={names}
        measure="c"
        title="c, criterion"
        top={top + HEAD + PART}
      />
    </g>
  );
}

interface MeasureProps extends Props {
  measure: "d" | "c";
  title: string;
  top: number;
}

function Measure({ at, of, names, measure, title, top }: MeasureProps) {
  const { left, right } = at.forest;
  const own = of.groups.map((group) => group[measure]);
  const gap: Gap = of[measure];
  const texts = [...own.map((one) => textsOf(one)), textsOf(gap, true)];
  const rows: Row[] = [...names, "difference"].map((name, i) => ({
    name,
    y: top + 10 + ROW * i + (i === 2 ? 22 : 0),
    bold: true,
    look: i < 2 ? `side-${i + 1}` : "",
    marks: [
      i < 2
        ? { ...own[i]!, ...leaning(i === 0 ? 1 : -1), shape: SHAPES[i], texts: texts[i] }
        : { ...gap, texts: texts[2] },
    ],
  }));
  const columns = columnsFor(right - left, rows, { least: 74, most: 120 });
  const range = [columns.left, columns.right] as const;
  const scale = (domain: [number, number]) => linear(domain, range);
  const values = scale(
    domainOver([0, ...own.flatMap(({ value, low, high }) => [value, low, high])], 0.08),
  );
  const widest = Math.max(
    gap.margin,
    ...[gap.low, gap.high, gap.value].map((v) => Math.abs(v ?? 0)),
  );
  const differences = scale([-1.15 * widest, 1.15 * widest]);
  const bottom = rows[2]!.y + 10;
  const mark = rows[2]!.marks![0]!;
  const band = {
    ...mark,
    x: differences,
    behind: (
      <rect
        class="margin-band"
        x={differences(-gap.margin)}
        y={bottom - 20}
        width={Math.max(1, differences(gap.margin) - differences(-gap.margin))}
        height={20}
      />
    ),
  };
  const axis = (of_: typeof values) => ({
    x: of_,
    ticks: axisTicks(of_.domain, 0, range[1] - range[0], 44),
    neutral: 0,
  });
  return (
    <g
      transform={`translate(${left} 0)`}
      data-testid={`forest-${measure}`}
      data-value={gap.value}
      data-low={gap.low}
      data-high={gap.high}
    >
      <text class="t12 ink2" x={0} y={top - 6}>
        {title}
      </text>
      <Grid {...axis(values)} top={top} bottom={top + 2 * ROW} />
      <Numbers {...axis(values)} y={top + 2 * ROW - 2} />
      <Grid {...axis(differences)} top={bottom - 20} bottom={bottom} />
      <Numbers {...axis(differences)} y={bottom - 2} />
      <path
        class="neutral"
        d={`M${differences(0)} ${bottom - 20}V${bottom}M${values(0)} ${top}V${top + 2 * ROW}`}
      />
      <Forest
        columns={columns}
        x={values}
        rows={[rows[0]!, rows[1]!, { ...rows[2]!, marks: [band] }]}
      />
    </g>
  );
}
