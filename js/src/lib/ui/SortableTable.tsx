import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";

export interface Column<R> {
  key: string;
  title: string;
  /** What rows are sorted by; rows without it stand last. */
  by: (row: R) => number | string | null;
  cell: (row: R) => ComponentChildren;
  /** Largest first on the first press; default smallest. */
  down?: boolean;
}

interface Props<R> {
  label: string;
  testid: string;
  columns: readonly Column<R>[];
  rows: readonly R[];
  id: (row: R) => string;
  /** The column that rows are sorted by at first. */
  first: string;
  picked?: string;
  onPick?: (row: R) => void;
}

/** A table whose rows are sorted by the column whose title is pressed. */
export function SortableTable<R>(props: Props<R>) {
  const { columns, rows, picked, onPick, id } = props;
  const [{ key, down }, setOrder] = useState({ key: props.first, down: false });
  const column = columns.find((c) => c.key === key) ?? columns[0]!;
  const sorted = useMemo(() => sortedBy(rows, column, down), [rows, column.key, down]);
  const press = (c: Column<R>) =>
    setOrder((now) =>
      now.key === c.key ? { key: c.key, down: !now.down } : { key: c.key, down: c.down ?? false },
    );
  return (
    <table class="numbers sortable" data-testid={props.testid} aria-label={props.label}>
      <thead>
        <tr>
          {columns.map((c) => (
            <th
              key={c.key}
              scope="col"
              aria-sort={c.key === column.key ? (down ? "descending" : "ascending") : "none"}
            >
              <button
                type="button"
                class="sort"
                data-testid={`${props.testid}-${c.key}`}
                onClick={() => press(c)}
              >
                {c.title}
                <span aria-hidden="true">{c.key === column.key ? (down ? "↓" : "↑") : ""}</span>
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted.map((row) => (
          <tr
            key={id(row)}
            class={picked !== undefined && id(row) === picked ? "now" : ""}
            data-row={id(row)}
          >
            {columns.map((c, i) =>
              i === 0 ? (
                <th key={c.key} scope="row">
                  {onPick ? (
                    <button
                      type="button"
                      class="pick"
                      aria-pressed={id(row) === picked}
                      onClick={() => onPick(row)}
                    >
                      {c.cell(row)}
                    </button>
                  ) : (
                    c.cell(row)
                  )}
                </th>
              ) : (
                <td key={c.key}>{c.cell(row)}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Rows in the order of a column; equal ones keep theirs, those without a value come last. */
export function sortedBy<R>(rows: readonly R[], { by }: Column<R>, down: boolean): R[] {
  return [...rows].sort((a, b) => {
    const [x, y] = [by(a), by(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const order = typeof x === "string" ? x.localeCompare(String(y)) : x - Number(y);
    return down ? -order : order;
  });
}
