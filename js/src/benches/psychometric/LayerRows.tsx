import { useRef } from "preact/hooks";
import type { Layered, LayerPoint } from "../../generated/psychometric";
import { fixed, percent, points } from "../../lib/format";
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
  const pse = scale(layers.map((one) => [one.pse, one.corpus]));
  const jnd = scale([...layers.map((one) => [one.jnd, one.jnd_interval] as const), [0, null]]);
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
        <span>at α = {fixed(alpha, 2)}</span>
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
            <Mark
              value={point.pse}
              ends={point.corpus}
              reach={pse}
              neutral={0.5}
              lean={point.lean}
            />
            <b class="layer-value">{point.pse === null ? "none" : beyond(point.pse)}</b>
            <Mark value={point.jnd} ends={point.jnd_interval} reach={jnd} lean="unknown" />
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

type Reach = readonly [number, number];

/** An axis over all estimates, and over their intervals as far as the ends of the stimuli. */
function scale(values: readonly (readonly [number | null, readonly number[] | null])[]): Reach {
  const near = values
    .flatMap(([value, ends]) => [value, ...(ends ?? [])])
    .filter((value): value is number => value !== null && Math.abs(value) < FAR / 10)
    .map((value) => Math.min(1, Math.max(0, value)));
  const low = Math.min(0.5, ...near);
  const high = Math.max(low + 0.05, ...near);
  const room = 0.06 * (high - low);
  return [low - room, high + room];
}

const WIDTH = 200;
const HEIGHT = 20;

interface MarkProps {
  value: number | null;
  ends: readonly [number, number] | null;
  reach: Reach;
  neutral?: number;
  lean: LayerPoint["lean"];
}

/** A point with its interval; an interval without an end reaches to that of the axis. */
function Mark({ value, ends, reach: [low, high], neutral, lean }: MarkProps) {
  const x = (share: number) => Math.min(WIDTH, Math.max(0, (WIDTH * (share - low)) / (high - low)));
  const group = lean === "cue_1" ? "g1" : lean === "cue_2" ? "g2" : "none";
  const inside = value !== null && value >= low && value <= high;
  return (
    <svg
      class={`layer-mark ${group}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {neutral !== undefined && (
        <line class="neutral" x1={x(neutral)} x2={x(neutral)} y1={0} y2={HEIGHT} />
      )}
      {ends && <line class="reach" x1={x(ends[0])} x2={x(ends[1])} y1={10} y2={10} />}
      {inside && <line class="dot" x1={x(value)} x2={x(value)} y1={10} y2={10} />}
    </svg>
  );
}
