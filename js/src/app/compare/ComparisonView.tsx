/** Verdict, rows with their change, totals, and what differs between two runs. */
import { useEffect, useState } from "preact/hooks";
import { getJson } from "../lib/api";
import type { Aspect, Compared, Comparison, Total } from "./comparison";
import { digitsOf, queryOf, range, written } from "./comparison";
import { Outside } from "./Outside";
import { Rows } from "./Rows";

export function ComparisonView({ a, b, measure }: Compared) {
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    getJson<Comparison>(`api/compare?${queryOf({ a, b, measure })}`).then(setComparison, (error) =>
      setProblem(error.message),
    );
  }, [a, b, measure]);
  if (problem)
    return (
      <p class="panel" role="alert">
        These runs cannot be compared. {problem}
      </p>
    );
  if (!comparison) return <p class="caveat">Comparing the runs…</p>;
  return (
    <>
      <p class="verdict">
        {comparison.verdict.map(({ text, role }, place) => (
          <span class={role} key={place}>
            {text}
          </span>
        ))}
      </p>
      {comparison.caveat && <p class="caveat">{comparison.caveat}</p>}
      <div class="columns">
        <Rows found={comparison} />
        <div class="beside">
          {comparison.totals.length > 0 && <Totals found={comparison} />}
          {comparison.outsideLabel && <Outside found={comparison} />}
          <Differences found={comparison} />
        </div>
      </div>
    </>
  );
}

function Totals({ found }: { found: Comparison }) {
  return (
    <section class="panel">
      <h2>{found.rows.length === 1 ? "In all" : `All ${found.rows.length} ${found.rowsAre}`}</h2>
      <table class="totals">
        <thead>
          <tr>
            <td />
            <th scope="col">A</th>
            <th scope="col">B</th>
            <th scope="col">B − A</th>
            <th scope="col">{Math.round(found.level * 100)} %</th>
          </tr>
        </thead>
        <tbody>
          {found.totals.map((one) => (
            <TotalRow one={one} key={one.name} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function TotalRow({ one }: { one: Total }) {
  const scale = one.unit === "points" ? 100 : 1;
  const digits = one.unit === "count" ? 0 : digitsOf([one.a, one.b, one.change], scale);
  return (
    <tr>
      <th scope="row">{one.name}</th>
      <td>{written(one.a, scale, digits)}</td>
      <td>{written(one.b, scale, digits)}</td>
      <td>
        <b>{written(one.change, scale, digits, true)}</b>
      </td>
      <td>{range(one.ends, scale, digits)}</td>
    </tr>
  );
}

function Differences({ found }: { found: Comparison }) {
  return (
    <section class="panel">
      <h2>What differs</h2>
      {found.differs.length === 0 && <p>Nothing that was recorded.</p>}
      <dl>
        {found.differs.map((one) => (
          <Difference one={one} key={one.name} />
        ))}
        {found.equal.length > 0 && (
          <>
            <dt>Equal</dt>
            <dd>{found.equal.map((one) => one.name.replaceAll("_", " ")).join(", ")}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Difference({ one }: { one: Aspect }) {
  return (
    <>
      <dt>{one.name.replaceAll("_", " ")}</dt>
      <dd>
        <b>A</b> {one.a || "none"}
        <br />
        <b>B</b> {one.b || "none"}
      </dd>
    </>
  );
}
