/** Rows of intervals: in each a name, estimates on one scale, and their numbers right of it. */
import type { Scale } from "../scale";
import { fit, textWidth, wrap } from "../textwidth";
import { type Estimate, Interval, type Shape } from "./marks";

export interface RowMark extends Estimate {
  /** From the middle of its row. */
  dy?: number;
  /** Classes that say its colour. */
  look?: string;
  shape?: Shape;
  size?: number;
  /** Its numbers, one a column. */
  texts?: readonly string[];
  /** They stand back. */
  faint?: boolean;
  /** Attributes of what is drawn of it, without their "data-". */
  data?: Readonly<Record<string, unknown>>;
}

export interface Row {
  name: string;
  /** Its middle. */
  y: number;
  bold?: boolean;
  look?: string;
  marks?: readonly RowMark[];
}

/** Where the parts of rows stand, in CSS pixels. */
export interface Columns {
  width: number;
  nameRight: number;
  nameWidth: number;
  left: number;
  right: number;
  /** Right ends of the columns of numbers. */
  numbers: readonly number[];
}

interface Room {
  /** Left of the names. */
  before?: number;
  least: number;
  most: number;
}

const GAP = 14;
const BETWEEN = 8;

/** Columns for the names and numbers of rows; the scale has what they leave. */
export function columnsFor(
  width: number,
  rows: readonly Pick<Row, "name" | "marks">[],
  room: Room,
): Columns {
  const { before = 0, least, most } = room;
  const longest = Math.max(least, ...rows.map(({ name }) => textWidth(name, 12, true) + 2));
  const nameWidth = Math.min(longest, most);
  const nameRight = before + nameWidth;
  const numbers: number[] = [];
  const texts = rows.flatMap(({ marks = [] }) => marks.map((mark) => mark.texts ?? []));
  let right = width - 1;
  for (let k = Math.max(0, ...texts.map((own) => own.length)) - 1; k >= 0; k--) {
    numbers.unshift(right);
    right -= Math.max(...texts.map((own) => textWidth(own[k] ?? "", 12, k === 0))) + BETWEEN;
  }
  return { width, nameRight, nameWidth, left: nameRight + GAP, right: right - BETWEEN, numbers };
}

interface Props {
  columns: Columns;
  x: Scale;
  rows: readonly Row[];
  /** Over the columns of numbers. */
  heads?: readonly string[];
  /** Of the rows. */
  top?: number;
  /** Names are broken into lines and not cut. */
  wrapped?: boolean;
}

export function Forest({ columns, x, rows, heads = [], top = 0, wrapped = false }: Props) {
  return (
    <g>
      {heads.map((head, k) => (
        <text key={k} class="t11 ink3" x={columns.numbers[k]} y={top - 11} text-anchor="end">
          {head}
        </text>
      ))}
      {rows.map((row, i) => (
        <g key={i} class={row.look}>
          <Name row={row} columns={columns} wrapped={wrapped} />
          {row.marks?.map((mark, k) => (
            <Marked key={k} mark={mark} y={row.y + (mark.dy ?? 0)} x={x} columns={columns} />
          ))}
        </g>
      ))}
    </g>
  );
}

const LINE = 15;

function Name({ row, columns, wrapped }: { row: Row; columns: Columns; wrapped: boolean }) {
  const { nameRight, nameWidth } = columns;
  const { name, bold = false, y } = row;
  const lines = wrapped ? wrap(name, 12, nameWidth) : [name];
  return (
    <text class={`name t12 ${bold ? "bold" : ""}`} text-anchor="end">
      {lines.map((line, k) => (
        <tspan key={k} x={nameRight} y={y + 4 + LINE * (k - (lines.length - 1) / 2)}>
          {fit(line, 12, nameWidth, bold)}
        </tspan>
      ))}
    </text>
  );
}

interface MarkedProps {
  mark: RowMark;
  y: number;
  x: Scale;
  columns: Columns;
}

function Marked({ mark, y, x, columns }: MarkedProps) {
  const { data = {}, shape, size, texts = [] } = mark;
  const isFirst = (k: number) => k === 0 && texts.length > 1;
  const named = Object.entries(data).map(([name, value]) => [`data-${name}`, value]);
  return (
    <g class={mark.look} {...Object.fromEntries(named)}>
      <Interval of={mark} x={x} y={y} shape={shape} size={size} />
      {texts.map((text, k) => (
        <text
          key={k}
          class={`t12 ${isFirst(k) ? "bold" : ""} ${mark.faint || !isFirst(k) ? "ink2" : ""}`}
          x={columns.numbers[k]}
          y={y + 4}
          text-anchor="end"
        >
          {text}
        </text>
      ))}
    </g>
  );
}
