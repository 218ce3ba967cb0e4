import { textWidth } from "../textwidth";
import { classOf } from "./SquareGrid";
import { pathsOf } from "./squares";

const RASTER = { columns: 1, pitch: 13, side: 12 };

const Square = ({ tone }: { tone: string }) => (
  <>
    {[...pathsOf(tone, "", RASTER)].map(([name, d]) => (
      <path key={name} class={classOf(name)} d={d} />
    ))}
  </>
);

const Sample = ({ tone }: { tone: string }) => (
  <svg class="drawing sample" width={12} height={12} aria-hidden="true">
    <Square tone={tone} />
  </svg>
);

const TONES = ["c", "b", "a", "A", "B", "C"];
/** Height of the key of a picture that is taken along. */
export const KEY = 26;

/** The same in a picture that is taken along. */
export function SquareKey() {
  const first = textWidth("against", 11) + 6;
  const after = first + TONES.length * 16 + 2;
  const tie = after + textWidth("with the stereotype", 11) + 20;
  const failed = tie + textWidth("tie", 11) + 34;
  const samples = [...TONES.map((tone, i) => [tone, first + i * 16] as const), ["t", tie] as const];
  return (
    <g class="t11">
      {[...samples, ["f", failed] as const].map(([tone, x]) => (
        <g key={tone} transform={`translate(${x} 2)`}>
          <Square tone={tone} />
        </g>
      ))}
      <text class="against" y={12}>
        against
      </text>
      <text class="with" x={after} y={12}>
        with the stereotype
      </text>
      <text class="ink2" x={tie + 16} y={12}>
        tie
      </text>
      <text class="ink2" x={failed + 16} y={12}>
        failed
      </text>
    </g>
  );
}

/** What the squares' shades mean. */
export function SquareSamples() {
  return (
    <>
      <span class="legend-scale">
        <span class="against">against</span>
        {TONES.map((tone) => (
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
