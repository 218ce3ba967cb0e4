import type { Picture } from "../../../generated/psychometric";
import { percent, percentRange } from "../../../lib/format";
import { memo } from "../../../lib/memo";
import { clamp, type Scale } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import { isFar } from "../answers";
import type { Geometry } from "../layout";

interface Props {
  g: Geometry;
  x: Scale;
  picture: Picture;
  partial: boolean;
}

/**
 * Two intervals that must never be merged: over resampled corpora (bold, the verdict's) and, small
 * and apart, of the mean of these replicates.
 */
export const Intervals = memo(function Intervals({ g, x, picture, partial }: Props) {
  const { corpus, monte_carlo: mean, interval_level, interval_over } = picture;
  if (partial) return null;
  const n = picture.rows.switch.length;
  const kind = interval_over.includes("corpora") ? "corpus interval" : "interval";
  const level = `${Math.round(interval_level * 100)} % of ${interval_over}`;
  const ends = corpus ? extent(corpus, g, x) : extent([picture.pse, picture.pse], g, x);
  const shown = picture.pse_at === "at" && inside(picture.pse, x);
  const size = 12;
  const none = interval_over.includes("corpora") ? "no corpus interval" : "no interval";
  const corpusText = corpus ? `${kind} ${rangeOf(corpus)}` : none;
  const meanText = mean ? `Monte Carlo ${percentRange(mean, meanDigits(mean))}` : "";
  const meanNote = `of the PSE of ${n}; says nothing of bias`;
  const labels: Labels = { g, ends, size };
  return (
    <g>
      <g class="corpus">
        {corpus && <path d={whisker(corpus, g, x)} />}
        {shown && <circle cx={x(picture.pse)} cy={g.corpusY} r={4} />}
      </g>
      <Label
        {...labels}
        y={g.corpusY}
        main={corpusText}
        note={corpus ? level : ""}
        bold={corpus !== null}
        testid="corpus-interval"
        interval={corpus}
      />
      {mean && (
        <>
          {mean[1] > x.domain[0] && mean[0] < x.domain[1] && <Bar mean={mean} g={g} x={x} />}
          <Label
            {...labels}
            y={g.monteCarloY}
            main={meanText}
            note={meanNote}
            own={extent(mean, g, x)[0]}
            bold={false}
            testid="monte-carlo-interval"
            interval={mean}
          />
        </>
      )}
    </g>
  );
});

/** An interval without an end where the axis ends before it. */
function rangeOf([low, high]: Range): string {
  if (isFar(low) && isFar(high) && low < high) return "without ends";
  if (isFar(low)) return `below ${percent(high)}`;
  if (isFar(high)) return `above ${percent(low)}`;
  return percentRange([low, high]);
}

function Bar({ mean, g, x }: { mean: Range; g: Geometry; x: Scale }) {
  const [from, to] = extent(mean, g, x);
  const y = g.monteCarloY;
  return <line class="monte-carlo" x1={from} x2={Math.max(to, from + 1)} y1={y} y2={y} />;
}

type Range = readonly [number, number];

const meanDigits = ([low, high]: Range) => (Math.abs(high - low) * 100 >= 10 ? 0 : 1);
const inside = (v: number, x: Scale) => v >= x.domain[0] && v <= x.domain[1];

function extent([low, high]: Range, g: Geometry, x: Scale): [number, number] {
  const at = (v: number) => clamp(Number.isFinite(v) ? x(v) : x(0.5), g.left, g.right);
  return [at(low), at(high)];
}

/** A line with an end stop where the interval ends inside the axis, an arrow where it goes on. */
function whisker(interval: Range, g: Geometry, x: Scale): string {
  const [from, to] = extent(interval, g, x);
  const y = g.corpusY;
  const end = (at: number, out: number, stops: boolean) =>
    stops ? `M${at} ${y - 5}v10` : `M${at - out * 6} ${y - 5}L${at} ${y}l${-out * 6} 5`;
  const low = end(from, -1, inside(interval[0], x));
  const high = end(to, 1, inside(interval[1], x));
  return `M${from} ${y}H${to}${low}${high}`;
}

interface Labels {
  g: Geometry;
  ends: [number, number];
  size: number;
}

interface LabelProps extends Labels {
  y: number;
  main: string;
  note: string;
  bold: boolean;
  testid: string;
  interval: Range | null;
  /** Left end of its own mark, for a note that has no room left of the wider mark. */
  own?: number;
}

type Anchor = "start" | "middle" | "end";

interface GroundProps {
  at: number;
  y: number;
  width: number;
  size: number;
  anchor: Anchor;
}

/** Hides the guide line behind words: their halo alone lets it through between two letters. */
function Ground({ at, y, width, size, anchor }: GroundProps) {
  const left = anchor === "start" ? at : anchor === "end" ? at - width : at - width / 2;
  return (
    <rect class="label-ground" x={left - 3} y={y - size + 1} width={width + 6} height={size + 3} />
  );
}

/** The note left of the mark and the numbers right of it, or both where there is room. */
function Label({ g, ends, y, main, note, bold, testid, interval, size, own }: LabelProps) {
  const gap = 12;
  const mainWidth = textWidth(main, size, bold);
  const noteWidth = textWidth(note, 11);
  const values = { "data-testid": testid, "data-low": interval?.[0], "data-high": interval?.[1] };
  const look = bold ? "t12 bold halo" : "t12 ink2 halo";
  const text = (at: number, anchor: Anchor, dy = 4) => (
    <>
      <Ground at={at} y={y + dy} width={mainWidth} size={size} anchor={anchor} />
      <text class={look} x={at} y={y + dy} text-anchor={anchor} {...values}>
        {main}
      </text>
    </>
  );
  const aside = (at: number, anchor: Anchor, dy = 4) => (
    <>
      <Ground at={at} y={y + dy} width={noteWidth} size={11} anchor={anchor} />
      <text class="t11 ink3 halo" x={at} y={y + dy} text-anchor={anchor}>
        {note}
      </text>
    </>
  );
  if (g.narrow) {
    const half = Math.max(mainWidth, noteWidth) / 2;
    const at = clamp((ends[0] + ends[1]) / 2, half, g.width - half);
    return (
      <>
        {text(at, "middle", 18)}
        {note && aside(at, "middle", 31)}
      </>
    );
  }
  const left = ends[0] - gap - noteWidth > 0 ? ends[0] : (own ?? ends[0]);
  const roomLeft = left - gap - noteWidth > 0;
  const roomRight = ends[1] + gap + mainWidth < g.width;
  if (roomLeft && roomRight) {
    return (
      <>
        {note && aside(left - gap, "end")}
        {text(ends[1] + gap, "start")}
      </>
    );
  }
  if (roomRight) {
    const fits = ends[1] + 2 * gap + mainWidth + noteWidth < g.width;
    return (
      <>
        {text(ends[1] + gap, "start")}
        {note && fits && aside(ends[1] + 2 * gap + mainWidth, "start")}
      </>
    );
  }
  if (ends[0] - gap - mainWidth > 0) {
    const fits = ends[0] - 2 * gap - mainWidth - noteWidth > 0;
    return (
      <>
        {text(ends[0] - gap, "end")}
        {note && fits && aside(ends[0] - 2 * gap - mainWidth, "end")}
      </>
    );
  }
  // An interval over nearly the whole axis: its numbers stand above its line.
  return text((ends[0] + ends[1]) / 2, "middle", -6);
}
