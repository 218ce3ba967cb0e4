import { classOf } from "../../../lib/bench/SquareGrid";
import { pathsOf } from "../../../lib/bench/squares";
import { fixed } from "../../../lib/format";

const RASTER = { columns: 1, pitch: 13, side: 12 };

const Sample = ({ tone }: { tone: string }) => (
  <svg class="drawing sample" width={12} height={12} aria-hidden="true">
    {[...pathsOf(tone, "", RASTER)].map(([name, d]) => (
      <path key={name} class={classOf(name)} d={d} />
    ))}
  </svg>
);

/** What the squares' shades mean. */
export function Legend({ edges, unit }: { edges: readonly [number, number]; unit: string }) {
  return (
    <p class="legend">
      <span class="quiet">
        log-odds in {unit}, steps at {edges.map((e) => fixed(e, 1)).join(" and ")}
      </span>
      <span class="legend-scale">
        <span class="against">against</span>
        {["c", "b", "a"].map((tone) => (
          <Sample key={tone} tone={tone} />
        ))}
        {["A", "B", "C"].map((tone) => (
          <Sample key={tone} tone={tone} />
        ))}
        <span class="with">with the stereotype</span>
      </span>
      <span class="legend-scale quiet">
        <Sample tone="t" /> tie
        <Sample tone="f" /> failed
      </span>
    </p>
  );
}
