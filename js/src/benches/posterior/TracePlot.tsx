import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Trace } from "../../generated/posterior";
import { memo } from "../../lib/memo";
import { type Numbers, rowOf, sizes, unpack } from "../../lib/packed";
import { clamp, linear, type Scale } from "../../lib/scale";
import { chainMeans, colours, type Ramp, spreadOf } from "./heat";
import { linePath } from "./lines";
import type { Place } from "./store";

/** Room of the column of chain means, right of the rows of colour. */
const MEANS = 14;
const GAP = 5;
const LINES = 60;
/** Highest strip of rows of colour; of many chains a row is less than a pixel. */
const HIGHEST = 128;

export const plotHeight = (traced: "lines" | "all", chains: number) =>
  traced === "lines" ? LINES : clamp(2 * chains, LINES, HIGHEST);

export interface PlotGeometry {
  width: number;
  height: number;
  /** Steps that the plot has room for: more than there are while a run goes on. */
  room: number;
  /** Steps of warm-up; of a dimension they are not shown, and its lines begin after them. */
  warmup: number;
}

/** The step at which a trace's lines begin. */
const begin = (trace: Trace, g: PlotGeometry) => g.warmup - trace.warmup;

/** Where steps stand, and values of the trace. */
export function lineScales(trace: Trace, g: PlotGeometry): { x: Scale; y: Scale } {
  const flat = trace.high > trace.low ? 0 : 1;
  return {
    x: linear([0, Math.max(1, g.room - 1)], [0, g.width]),
    y: linear([trace.low - flat, trace.high + flat], [g.height - 3, 3]),
  };
}

/** A few chains as lines; what was drawn in warm-up is shaded. */
export const Lines = memo(function Lines({ trace, g }: { trace: Trace; g: PlotGeometry }) {
  const numbers = unpack(trace.lines);
  const { x, y } = lineScales(trace, g);
  const [chains] = sizes(numbers);
  return (
    <g>
      <WarmUp g={g} x={x} />
      {Array.from({ length: chains }, (_, i) => (
        <path
          key={i}
          class={`chain chain-${i % 4}`}
          d={linePath(rowOf(numbers, i), x, y, begin(trace, g))}
          data-testid="chain"
        />
      ))}
    </g>
  );
});

export function WarmUp({ g, x }: { g: PlotGeometry; x: Scale }) {
  const end = clamp(x(g.warmup), 0, g.width);
  return <rect class="warm-up" width={end} height={g.height} />;
}

interface HeatPlace {
  /** Width of the blocks so far. */
  blocks: number;
  /** Left end of the column of means. */
  means: number;
}

/** @param share - How much of the draws to keep is there. */
export const heatPlace = (g: PlotGeometry, share: number): HeatPlace => ({
  blocks: (g.width - MEANS - GAP) * clamp(share, 0, 1),
  means: g.width - MEANS,
});

/** Rows of colour as an image of one pixel for each block, and one for each chain's mean. */
export function heatImages(
  numbers: Numbers,
  ramp: Ramp,
): { blocks: ImageData; means: ImageData } | null {
  const [chains, columns] = sizes(numbers);
  if (chains * columns === 0 || typeof ImageData === "undefined") return null;
  const means = chainMeans(numbers);
  // Means spread less than blocks do: their own spread tells which of them is elsewhere.
  const [of, ofMeans] = [spreadOf(numbers.values), spreadOf(means)];
  return {
    blocks: new ImageData(colours(numbers.values, of, ramp), columns, chains),
    means: new ImageData(colours(means, ofMeans, ramp), 1, chains),
  };
}

export function paint(canvas: HTMLCanvasElement, image: ImageData): void {
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}

interface HeatProps {
  trace: Trace;
  g: PlotGeometry;
  share: number;
  ramp: Ramp;
}

/** All chains, a row of colour for each, and right of them their means. */
export const Heat = memo(function Heat({ trace, g, share, ramp }: HeatProps) {
  const blocks = useRef<HTMLCanvasElement>(null);
  const means = useRef<HTMLCanvasElement>(null);
  const images = useMemo(() => heatImages(unpack(trace.strips), ramp), [trace, ramp]);
  useLayoutEffect(() => {
    if (!images) return;
    paint(blocks.current!, images.blocks);
    paint(means.current!, images.means);
  }, [images]);
  const place = heatPlace(g, share);
  return (
    <>
      <div class="heat-room" style={{ width: `${place.means - GAP}px` }} />
      <canvas
        ref={blocks}
        class="heat"
        style={{
          width: `${place.blocks}px`,
          height: `${g.height}px`,
          display: images ? "" : "none",
        }}
      />
      <canvas
        ref={means}
        class="heat"
        style={{
          left: `${place.means}px`,
          width: `${MEANS}px`,
          height: `${g.height}px`,
          display: images ? "" : "none",
        }}
      />
    </>
  );
});

/** The chain and the column under a place in the plot. */
export function placeAt(
  trace: Trace,
  traced: "lines" | "all",
  g: PlotGeometry,
  share: number,
  px: number,
  py: number,
): Place | null {
  const numbers = unpack(traced === "lines" ? trace.lines : trace.strips);
  const [chains, columns] = sizes(numbers);
  if (chains * columns === 0) return null;
  if (traced === "all") {
    const chain = clamp(Math.floor((py / g.height) * chains), 0, chains - 1);
    const { blocks } = heatPlace(g, share);
    return { chain, column: clamp(Math.floor((px / blocks) * columns), 0, columns - 1) };
  }
  const { x, y } = lineScales(trace, g);
  const first = begin(trace, g);
  const column = clamp(Math.round(x.invert(px)), first, first + columns - 1);
  let chain = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < chains; i++) {
    const away = Math.abs(y(rowOf(numbers, i)[column - first]!) - py);
    if (away < least) {
      least = away;
      chain = i;
    }
  }
  return { chain, column };
}

/** Where a key leads in a plot: along the draws, or to another chain. Null for any other key. */
export function placeToward(
  trace: Trace,
  traced: "lines" | "all",
  g: PlotGeometry,
  at: Place | null,
  key: string,
): Place | null {
  const [chains, columns] = sizes(unpack(traced === "lines" ? trace.lines : trace.strips));
  if (chains * columns === 0) return null;
  const first = traced === "lines" ? begin(trace, g) : 0;
  const { chain, column } = at ?? { chain: 0, column: first };
  const page = Math.max(1, Math.round(columns / 20));
  const to: Record<string, [chain: number, column: number]> = {
    ArrowRight: [chain, column + 1],
    ArrowLeft: [chain, column - 1],
    PageDown: [chain, column + page],
    PageUp: [chain, column - page],
    ArrowDown: [chain + 1, column],
    ArrowUp: [chain - 1, column],
    Home: [chain, first],
    End: [chain, first + columns - 1],
  };
  const next = to[key];
  if (!next) return null;
  if (!at) return { chain: 0, column: first };
  return {
    chain: clamp(next[0], 0, chains - 1),
    column: clamp(next[1], first, first + columns - 1),
  };
}

interface MarkedProps {
  trace: Trace;
  traced: "lines" | "all";
  g: PlotGeometry;
  share: number;
  place: Place;
}

/** The chain that is pointed at, and where: in every trace. */
export function Marked({ trace, traced, g, share, place }: MarkedProps) {
  const numbers = unpack(traced === "lines" ? trace.lines : trace.strips);
  const [chains, columns] = sizes(numbers);
  if (place.chain >= chains) return null;
  if (traced === "all") {
    const step = g.height / chains;
    const { blocks } = heatPlace(g, share);
    const left = ((place.column + 0.5) / columns) * blocks;
    return (
      <g data-testid="marked" data-screen-only="">
        <rect
          class="marked-row"
          x={-1}
          y={place.chain * step - 1}
          width={g.width + 2}
          height={step + 2}
        />
        <path
          class="marked-at"
          d={`M${left} ${place.chain * step - 5}v4M${left} ${(place.chain + 1) * step + 1}v4`}
        />
      </g>
    );
  }
  const { x, y } = lineScales(trace, g);
  const row = rowOf(numbers, place.chain);
  const value = row[place.column - begin(trace, g)];
  return (
    <g data-testid="marked" data-screen-only="">
      <path class="chain marked-chain" d={linePath(row, x, y, begin(trace, g))} />
      <path class="guide" d={`M${x(place.column)} 0V${g.height}`} />
      {value !== undefined && (
        <circle class="marked-dot" cx={x(place.column)} cy={clamp(y(value), 0, g.height)} r={3} />
      )}
    </g>
  );
}
