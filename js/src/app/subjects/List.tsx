import type { Row } from "./records";
import { grouped, size, state } from "./shown";

interface Props {
  rows: readonly Row[];
  chosen: string;
  search: string;
  onChoose: (name: string) => void;
  onKey: (event: KeyboardEvent) => void;
}

/** Subjects by kind; a row opens its card. */
export function List({ rows, chosen, search, onChoose, onKey }: Props) {
  if (rows.length === 0 && search)
    return <p class="panel quiet">No subject has “{search}” in its name, kind or source.</p>;
  return (
    <table class="panel list" onKeyDown={onKey}>
      <thead>
        <tr>
          <th scope="col">subject</th>
          <th scope="col">from</th>
          <th scope="col" class="number">
            size
          </th>
          <th scope="col">state</th>
          <th scope="col" class="number">
            memory
          </th>
        </tr>
      </thead>
      {grouped(rows).map(([title, members]) => (
        <tbody key={title}>
          <tr class="group">
            <th scope="rowgroup" colSpan={5}>
              {title} <small>{members.length}</small>
            </th>
          </tr>
          {members.map((row) => (
            <Line key={row.name} row={row} chosen={row.name === chosen} onChoose={onChoose} />
          ))}
        </tbody>
      ))}
    </table>
  );
}

function Line({
  row,
  chosen,
  onChoose,
}: {
  row: Row;
  chosen: boolean;
  onChoose: Props["onChoose"];
}) {
  return (
    <tr class={chosen ? "chosen" : ""} onClick={() => onChoose(row.name)}>
      <td>
        <button type="button" data-name={row.name} aria-pressed={chosen}>
          {row.name}
        </button>
        {row.own && <span class="badge">own</span>}
        <small>{row.about}</small>
      </td>
      <td class="origin">{row.origin}</td>
      <td class="number">{size(row.bytes)}</td>
      <td>
        <span class={`state ${row.state}`}>{state(row)}</span>
        {row.state === "loading" && (
          <progress
            aria-label={`Loading ${row.name}`}
            {...(row.total > 0 ? { value: row.done, max: row.total } : {})}
          />
        )}
      </td>
      <td class="number">{size(row.memory)}</td>
    </tr>
  );
}
