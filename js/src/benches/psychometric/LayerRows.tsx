import { useRef } from "preact/hooks";
import type { Layered, LayerPoint } from "../../generated/psychometric";
import { Lane } from "../../lib/chart/Lane";
import { leaning, type RowMark } from "../../lib/chart/marks";
import { percent, points } from "../../lib/format";
import { clamp, domainOver } from "../../lib/scale";
import { Term } from "../../lib/ui/Term";
import { FAR, gradedShare } from "./answers";

interface Props {
  layered: Layered;
  chosen: number;
  alpha: number;
  onChoose: (layer: number) => void;
}

/** A row per layer from the input down: PSE and JND with their intervals, and the answer at alpha. */
export function LayerRows({ layered, chosen, alpha, onChoose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { layers, cue_2, after } = layered;
  const pse = domainOf(layers.map((one) => [one.pse, one.corpus]));
  const jnd = domainOf([...layers.map((one) => [one.jnd, one.jnd_interval] as const), [0, null]]);
  const go = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = layers.findIndex(({ layer }) => layer === chosen);
    const to = (at + by + layers.length) % layers.length;
    onChoose(layers[to]!.layer);
    box.current?.querySelectorAll<HTMLElement>("[role=radio]")[to]?.focus();
  };
  return (
    <div
      ref={box}
      class="layer-rows"
      role="radiogroup"
      aria-label="Layer in the picture"
      onKeyDown={go}
    >
      <div class="layer-heads quiet" aria-hidden="true">
        <span>layer</span>
        <span>
          <Term name="PSE">PSE</Term>, % {cue_2}
        </span>
        <span>
          <Term name="JND">JND</Term>, points
        </span>
        <span>at α = {percent(alpha)}</span>
      </div>
      {layers.map((point, i) => (
        <div key={point.layer} class="layer-slot">
          {point.layer === after && (
            <p class={`layer-step ${layered.arises ? "arises" : ""}`} data-testid="layer-step">
              {layered.arises ? "the lean arises here" : "the lean grows most here"}
            </p>
          )}
          <button
            type="button"
            role="radio"
            class="layer-row"
            aria-checked={point.layer === chosen}
            aria-label={spoken(point, cue_2)}
            tabIndex={point.layer === chosen || (i === 0 && !has(layers, chosen)) ? 0 : -1}
            data-testid="layer-row"
            data-layer={point.layer}
            onClick={() => onChoose(point.layer)}
          >
            <span class="layer-name">{point.name}</span>
            <Lane
              domain={pse}
              neutral={0.5}
              marks={[{ ...markOf(point.pse, point.corpus), ...LEANS[point.lean] }]}
            />
            <b class="layer-value">{point.pse === null ? "none" : beyond(point.pse)}</b>
            <Lane domain={jnd} marks={[markOf(point.jnd, point.jnd_interval)]} />
            <b class="layer-value">{point.jnd === null ? "none" : points(point.jnd)}</b>
            <span class="layer-share" data-testid="layer-share">
              {percent(shareAt(layered, point, alpha))}
            </span>
          </button>
        </div>
      ))}
    </div>
  );
}

/** A layer in words, for those who hear it. */
function spoken({ name, pse, jnd }: LayerPoint, cue2: string): string {
  const size = jnd === null ? "no JND" : `JND ${points(jnd)} points`;
  if (pse === null) return `Layer ${name}: no PSE, ${size}`;
  const side = Math.abs(pse) < FAR / 10 ? points(pse) : pse > 0 ? "above 100" : "below 0";
  return `Layer ${name}: PSE ${side} % ${cue2}, ${size}`;
}

const has = (layers: readonly LayerPoint[], layer: number) =>
  layers.some((one) => one.layer === layer);

const beyond = (pse: number) => (Math.abs(pse) < FAR / 10 ? points(pse) : pse > 0 ? ">100" : "<0");

function shareAt(layered: Layered, point: LayerPoint, alpha: number): number {
  return gradedShare({ alphas: layered.alpha, answers: [point.share] }, 0, alpha);
}

/** An axis over all estimates, and over their intervals as far as the ends of the stimuli. */
function domainOf(values: readonly (readonly [number | null, readonly number[] | null])[]) {
  const near = values
    .flatMap(([value, ends]) => [value, ...(ends ?? [])])
    .filter((value): value is number => value !== null && Math.abs(value) < FAR / 10)
    .map((value) => clamp(value, 0, 1));
  const low = Math.min(0.5, ...near);
  return domainOver([low, low + 0.05, ...near], 0.06);
}

/** An interval without an end reaches to that of the axis. */
const markOf = (value: number | null, ends: readonly [number, number] | null): RowMark => ({
  value,
  low: ends?.[0] ?? null,
  high: ends?.[1] ?? null,
  size: 4.5,
});

const LEANS: Record<LayerPoint["lean"], Partial<RowMark>> = {
  cue_1: leaning(1),
  cue_2: leaning(-1),
  none: leaning(0),
  unknown: {},
};
