import { SquareSamples } from "../../../lib/bench/SquareSamples";
import { fixed } from "../../../lib/format";

/** What the squares' shades mean. */
export function Legend({ edges, unit }: { edges: readonly [number, number]; unit: string }) {
  return (
    <p class="legend wrap-row t11">
      <span class="quiet">
        log-odds in {unit}, steps at {edges.map((e) => fixed(e, 1)).join(" and ")}
      </span>
      <SquareSamples />
    </p>
  );
}
