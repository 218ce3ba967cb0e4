/** Rows that both runs have: A, B and B − A side by side, so that one hover marks all three. */
import { useMemo, useRef, useState } from "preact/hooks";
import { Lane } from "../../lib/chart/Lane";
import { leaning, type RowMark } from "../../lib/chart/marks";
import { listKey } from "../../lib/keys";
import { linear } from "../../lib/scale";
import {
  type Axis,
  axisOver,
  type ComparedRow,
  type Comparison,
  digitsOf,
  type Ends,
  range,
  SORTS,
  type Sort,
  sortedRows,
  written,
} from "./comparison";

export function Rows({ found }: { found: Comparison }) {
  const [sort, setSort] = useState<Sort>("a");
  const [picked, setPicked] = useState<string>("");
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useMemo(() => sortedRows(found.rows, sort), [found, sort]);
  const { scale, neutral } = found;
  const values = useMemo(
    () =>
      axisOver([
        neutral,
        ...found.rows.flatMap((r) => [r.a, r.b, ...(r.aEnds ?? []), ...(r.bEnds ?? [])]),
      ]),
    [found],
  );
  const changes = useMemo(
    () => axisOver([0, ...found.rows.flatMap((r) => [r.change, ...(r.changeEnds ?? [])])]),
    [found],
  );
  const digits = digitsOf(
    found.rows.map((r) => r.change),
    scale,
  );
  const row = rows.find((one) => one.label === picked);
  const move = (event: KeyboardEvent) => {
    const at = rows.findIndex((one) => one.label === picked);
    const to = listKey(event.key, at, rows.length);
    if (to === null) return;
    event.preventDefault();
    const next = rows[to];
    setPicked(next.label);
    for (const one of body.current?.rows ?? []) if (one.dataset.row === next.label) one.focus();
  };
  const unit = found.unit === "points" ? "%" : found.unit;
  const stop = row ? picked : rows[0]?.label;
  return (
    <section class="panel words">
      <header class="bar">
        <h2>
          {found.rowsAre.charAt(0).toUpperCase() + found.rowsAre.slice(1)}{" "}
          <small>{found.measure}</small>
        </h2>
        <select
          aria-label="Order of the rows"
          value={sort}
          onChange={(event) => setSort(event.currentTarget.value as Sort)}
        >
          {SORTS.map(([key, label]) => (
            <option value={key} key={key}>
              {label}
            </option>
          ))}
        </select>
      </header>
      <table onMouseLeave={() => setPicked("")}>
        <thead>
          <tr>
            <td />
            <th scope="col">
              A <span>{found.names[0]}</span>
              <Ticks axis={values} scale={scale} unit={unit} />
            </th>
            <th scope="col">
              B <span>{found.names[1]}</span>
              <Ticks axis={values} scale={scale} unit={unit} />
            </th>
            <th scope="col">
              B − A
              <Ticks axis={changes} scale={scale} unit={found.unit} />
            </th>
            <th scope="col" class="number">
              B − A
            </th>
            <th scope="col" class="number ends">
              {Math.round(found.level * 100)} %
            </th>
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={move}>
          {rows.map((one) => (
            <tr
              key={one.label}
              data-row={one.label}
              data-picked={one.label === picked || undefined}
              tabIndex={one.label === stop ? 0 : -1}
              onMouseEnter={() => setPicked(one.label)}
              onFocus={() => setPicked(one.label)}
            >
              <th scope="row">{one.label}</th>
              <td>
                <Lane
                  domain={values.domain}
                  neutral={neutral}
                  marks={[markOf(one.a, one.aEnds, shapeOf(one.aLean, found))]}
                />
              </td>
              <td>
                <Lane
                  domain={values.domain}
                  neutral={neutral}
                  marks={[markOf(one.b, one.bEnds, shapeOf(one.bLean, found))]}
                />
              </td>
              <td>
                <Lane
                  domain={changes.domain}
                  neutral={0}
                  marks={[markOf(one.change, one.changeEnds)]}
                />
              </td>
              <td class="number">
                <b>{written(one.change, scale, digits, true)}</b>
              </td>
              <td class="number ends">{range(one.changeEnds, scale, digits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="readout" role="status">
        {row ? (
          <Readout row={row} found={found} digits={digits} />
        ) : (
          "Point at a row, or move with ↑ and ↓."
        )}
      </p>
      {found.only.length > 0 && <Only found={found} />}
    </section>
  );
}

/** In the colours of groups only where groups are compared. */
const shapeOf = (lean: number, found: Comparison) =>
  lean === 0 || found.groups ? leaning(Math.sign(lean)) : {};

const markOf = (value: number | null, ends: Ends | null, look: Partial<RowMark> = {}): RowMark => ({
  value,
  low: ends?.[0] ?? null,
  high: ends?.[1] ?? null,
  ...look,
});

function Ticks({ axis, scale, unit }: { axis: Axis; scale: number; unit: string }) {
  const digits = digitsOf(axis.ticks, scale);
  const x = linear(axis.domain, [0, 100]);
  return (
    <span class="ticks" aria-hidden="true">
      {axis.ticks.map((tick, place) => (
        <i key={tick} style={{ left: `${x(tick)}%` }}>
          {written(tick, scale, Number.isInteger(tick * scale) ? 0 : digits)}
          {place === axis.ticks.length - 1 && unit === "%" ? " %" : ""}
        </i>
      ))}
    </span>
  );
}

function Readout({ row, found, digits }: { row: ComparedRow; found: Comparison; digits: number }) {
  const unit = found.unit === "points" ? " %" : "";
  const own = (value: number | null, lean: number) =>
    `${written(value, found.scale, digits)}${unit}, ${
      lean === 0 ? "no clear lean" : `leans ${found.sides[lean > 0 ? 0 : 1]}`
    }`;
  return (
    <>
      <b>{row.label}</b> <span>A {own(row.a, row.aLean)}</span>{" "}
      <span>B {own(row.b, row.bLean)}</span>{" "}
      <span>
        {found.names[0] === found.names[1] ? "change" : "difference"}{" "}
        <b>{written(row.change, found.scale, digits, true)}</b>{" "}
        {found.unit === "points" ? "points " : ""}
        {row.changeEnds && `(${range(row.changeEnds, found.scale, digits)})`}
      </span>
    </>
  );
}

function Only({ found }: { found: Comparison }) {
  const digits = digitsOf(
    found.only.map((one) => one.value),
    found.scale,
  );
  return (
    <div class="only">
      <h3>In one run only</h3>
      <ul>
        {found.only.map((one) => (
          <li key={one.run + one.label}>
            {one.label} <b>{one.run.toUpperCase()}</b> {written(one.value, found.scale, digits)}{" "}
            <span class="quiet">{one.ends && `(${range(one.ends, found.scale, digits)})`}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
