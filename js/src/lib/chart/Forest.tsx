/** Rows of intervals: in each a name, estimates on one scale, and their numbers right of it. */
import type { Scale } from "../scale";
import { fit, textWidth, wrap } from "../textwidth";
import { intervalPath, isIn, Mark, type RowMark } from "./marks";

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
  /** Widths of the names. */
  least: number;
  most: number;
  /** Over the numbers, or what else these columns have at least. */
  heads?: readonly string[];
}

const GAP = 14;
const BETWEEN = 8;

/** Of many texts, the longest by letters. */
const widest = (texts: readonly string[], bold: boolean) =>
  textWidth(
    texts.reduce((best, text) => (text.length > best.length ? text : best), ""),
    12,
    bold,
  );

/** Columns for the names and numbers of rows; the scale has what they leave. */
export function columnsFor(
  width: number,
  rows: readonly Pick<Row, "name" | "marks">[],
  { before = 0, least, most, heads = [] }: Room,
): Columns {
  const names = rows.map(({ name }) => name);
  const nameWidth = Math.min(Math.max(least, widest(names, true) + 6), most);
  const nameRight = before + nameWidth;
  const texts = rows.flatMap(({ marks = [] }) => marks.map((mark) => mark.texts ?? []));
  texts.push(heads);
  const numbers: number[] = [];
  let right = width - 1;
  for (let k = Math.max(...texts.map((own) => own.length)) - 1; k >= 0; k--) {
    numbers.unshift(right);
    right -= widest(
      texts.map((own) => own[k] ?? ""),
      k === 0,
    );
    right -= BETWEEN;
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

export function Forest({ columns, x, rows, heads = [], top = 0, wrapped }: Props) {
  return (
    <g>
      {heads.map((head, k) => (
        <text key={k} class="t11 ink3" x={columns.numbers[k]} y={top - 11} text-anchor="end">
          {head}
        </text>
      ))}
      {rows.map((row, i) => (
        <ForestRow key={i} columns={columns} x={x} row={row} wrapped={wrapped} />
      ))}
    </g>
  );
}

const LINE = 15;

interface RowProps extends Pick<Props, "columns" | "x" | "wrapped"> {
  row: Row;
}

export function ForestRow({ columns, x, row, wrapped }: RowProps) {
  const { nameRight, nameWidth, numbers } = columns;
  const { name, bold = false, look, marks = [] } = row;
  const lines = wrapped ? wrap(name, 12, nameWidth) : [name];
  return (
    <g class={look}>
      <text class={`name t12 ${bold ? "bold" : ""}`} text-anchor="end">
        {lines.map((line, k) => (
          <tspan key={k} x={nameRight} y={row.y + 4 + LINE * (k - (lines.length - 1) / 2)}>
            {fit(line, 12, nameWidth, bold)}
          </tspan>
        ))}
      </text>
      {marks.map((mark, i) => {
        const { value, dy = 0, shape, size, texts = [], faint, data } = mark;
        const y = row.y + dy;
        const own = mark.x ?? x;
        return (
          <g key={i} class={mark.look} {...dataOf(data)}>
            {mark.behind}
            <path class="interval" d={intervalPath(mark, own, y)} />
            {isIn(value, own.domain) && <Mark x={own(value)} y={y} shape={shape} size={size} />}
            {texts.map((text, k) => {
              const first = k === 0 && texts.length > 1;
              return (
                <text
                  key={k}
                  class={`t12 ${first ? "bold" : ""} ${faint || !first ? "ink2" : ""}`}
                  x={numbers[k]}
                  y={y + 4}
                  text-anchor="end"
                >
                  {text}
                </text>
              );
            })}
          </g>
        );
      })}
    </g>
  );
}

const dataOf = (data: RowMark["data"] = {}) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [`data-${name}`, value]));
