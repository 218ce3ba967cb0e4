/** Rows that both runs have: A, B and B − A side by side, so that one hover marks all three. */
import { useMemo, useRef, useState } from "preact/hooks";
import {
  type Axis,
  at,
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
      axisOver(
        found.rows.flatMap((r) => [r.a, r.b, ...(r.aEnds ?? []), ...(r.bEnds ?? [])]),
        neutral ?? undefined,
      ),
    [found],
  );
  const changes = useMemo(
    () =>
      axisOver(
        found.rows.flatMap((r) => [r.change, ...(r.changeEnds ?? [])]),
        0,
      ),
    [found],
  );
  const digits = digitsOf(
    found.rows.map((r) => r.change),
    scale,
  );
  const row = rows.find((one) => one.label === picked);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const place = rows.findIndex((one) => one.label === picked);
    const next = rows[Math.min(Math.max(place + step, 0), rows.length - 1)];
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
          class="text"
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
                <Mark
                  axis={values}
                  value={one.a}
                  ends={one.aEnds}
                  zero={neutral}
                  look={look(one.aLean, found)}
                />
              </td>
              <td>
                <Mark
                  axis={values}
                  value={one.b}
                  ends={one.bEnds}
                  zero={neutral}
                  look={look(one.bLean, found)}
                />
              </td>
              <td>
                <Mark
                  axis={changes}
                  value={one.change}
                  ends={one.changeEnds}
                  zero={0}
                  look="change"
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

/** Shape repeats colour: round for the first group, square for the second, hollow for neither. */
function look(lean: number, found: Comparison): string {
  if (lean === 0) return "none";
  if (!found.groups) return "plain";
  return lean > 0 ? "g1" : "g2";
}

interface MarkProps {
  axis: Axis;
  value: number | null;
  ends: Ends | null;
  zero: number | null;
  look: string;
}

function Mark({ axis, value, ends, zero, look }: MarkProps) {
  return (
    <span class={`mark ${look}`} aria-hidden="true">
      {zero !== null && <i class="zero" style={{ left: `${at(axis, zero)}%` }} />}
      {ends && (
        <i
          class="interval"
          style={{
            left: `${at(axis, ends[0])}%`,
            width: `${at(axis, ends[1]) - at(axis, ends[0])}%`,
          }}
        />
      )}
      {value !== null && <i class="point" style={{ left: `${at(axis, value)}%` }} />}
    </span>
  );
}

function Ticks({ axis, scale, unit }: { axis: Axis; scale: number; unit: string }) {
  const digits = digitsOf(axis.ticks, scale);
  return (
    <span class="ticks" aria-hidden="true">
      {axis.ticks.map((tick, place) => (
        <i key={tick} style={{ left: `${at(axis, tick)}%` }}>
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
        change <b>{written(row.change, found.scale, digits, true)}</b>{" "}
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
