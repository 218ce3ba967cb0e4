import { classOf } from "./SquareGrid";
import { pathsOf } from "./squares";

const RASTER = { columns: 1, pitch: 13, side: 12 };

const Sample = ({ tone }: { tone: string }) => (
  <svg class="drawing sample" width={12} height={12} aria-hidden="true">
    {[...pathsOf(tone, "", RASTER)].map(([name, d]) => (
      <path key={name} class={classOf(name)} d={d} />
    ))}
  </svg>
);

/** What the squares' shades mean. */
export function SquareSamples() {
  return (
    <>
      <span class="legend-scale">
        <span class="against">against</span>
        {["c", "b", "a", "A", "B", "C"].map((tone) => (
          <Sample key={tone} tone={tone} />
        ))}
        <span class="with">with the stereotype</span>
      </span>
      <span class="legend-scale quiet">
        <Sample tone="t" /> tie
        <Sample tone="f" /> failed
      </span>
    </>
  );
}
