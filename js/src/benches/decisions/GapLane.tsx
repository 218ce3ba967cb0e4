import type { RefObject } from "preact";
import { Handle } from "../../lib/chart/Handle";
import { handleKey } from "../../lib/keys";
import { clamp, type Scale } from "../../lib/scale";
import type { GapPlace } from "./gap";
import type { Geometry } from "./layout";
import type { Store, View } from "./store";
import { levelText } from "./texts";

interface Props {
  g: Geometry;
  x: Scale;
  gap: GapPlace | null;
  store: Store;
  view: View;
  svg: RefObject<SVGSVGElement | null>;
}

/** The gap as a bracket between the two points, both of its intervals, and the margin as a band. */
export function GapLane({ g, x, gap, store, view, svg }: Props) {
  if (!gap) return <NoGap g={g} view={view} />;
  const { picture } = view.answer;
  const { zero, point, wide, these, band, anchor, lines, alike } = gap;
  const from = clamp(band[0], g.left, g.right);
  const to = clamp(band[1], g.left, g.right);
  return (
    <g
      data-testid="gap"
      data-value={gap.value}
      data-low={picture?.gap?.low}
      data-high={picture?.gap?.high}
    >
      <rect
        class="margin-band"
        x={from}
        y={g.gapTop - 6}
        width={Math.max(1, to - from)}
        height={g.gapBottom - g.gapTop + 4}
      />
      {alike && (
        <text class="t11 ink2" text-anchor={alike.anchor}>
          {alike.lines.map((line, i) => (
            <tspan key={line} x={alike.at} y={alike.y + 13 * i}>
              {line}
            </tspan>
          ))}
        </text>
      )}
      <path
        class="bracket"
        d={`M${zero} ${g.gapY - 18}v10M${point} ${g.gapY - 18}v10M${zero} ${g.gapY - 13}H${point}`}
      />
      <path
        class="whisker"
        d={`M${wide[0]} ${g.gapY - 1}v8M${wide[1]} ${g.gapY - 1}v8M${wide[0]} ${g.gapY + 3}H${wide[1]}`}
      />
      <circle class="gap-dot" cx={point} cy={g.gapY + 3} r={4.5} />
      <line class="these" x1={these[0]} x2={these[1]} y1={g.gapY + 13} y2={g.gapY + 13} />
      {lines.map((line, i) => (
        <text
          key={i}
          class={`${line.look} halo`}
          x={gap.at}
          y={gap.tops[i]}
          text-anchor={anchor}
          data-testid={i === 0 ? "gap-text" : undefined}
        >
          {line.text}
        </text>
      ))}
      {band.map((edge, i) =>
        edge < g.left - 1 || edge > g.right + 1 ? null : (
          <MarginEdge
            key={i}
            at={edge}
            g={g}
            svg={svg}
            store={store}
            view={view}
            marginAt={(px) => Math.abs(x.invert(px) - gap.from)}
            primary={i === 1}
          />
        ),
      )}
    </g>
  );
}

function NoGap({ g, view }: { g: Geometry; view: View }) {
  const { picture } = view.answer;
  if (!picture?.reason) return null;
  return (
    <text class="t12 ink2" x={g.left} y={g.gapTop + 14}>
      gap: not known
    </text>
  );
}

interface EdgeProps {
  at: number;
  g: Geometry;
  svg: RefObject<SVGSVGElement | null>;
  store: Store;
  view: View;
  marginAt: (px: number) => number;
  /** The one that the keys reach. */
  primary: boolean;
}

/** An edge of the band within which groups count as alike: dragged, it changes the margin. */
function MarginEdge({ at, g, svg, store, view, marginAt, primary }: EdgeProps) {
  const { level_step, low, high, unit } = view.card;
  const [step, max] = [level_step / 5, high - low];
  const top = g.gapTop - 6;
  const height = g.gapBottom - g.gapTop + 4;
  return (
    <Handle
      svg={svg}
      x={at}
      y={top}
      get={() => store.view.inputs.alike}
      set={(margin) => {
        const steps = Math.round(clamp(margin, 0, max) / step);
        store.set({ alike: Number((steps * step).toPrecision(6)) });
      }}
      at={marginAt}
      move={(event) =>
        handleKey(event, store.view.inputs.alike, { low: 0, high: max, step, far: 5 * step })
      }
      onDrag={(dragging) => store.drag(dragging)}
      label="Margin within which groups are treated alike"
      value={{
        min: 0,
        now: view.inputs.alike,
        max,
        text: `plus and minus ${levelText(view.inputs.alike)} ${unit}`,
      }}
      look="margin-edge"
      tabindex={primary ? 0 : -1}
      data-screen-only=""
      data-testid={primary ? "margin-edge" : undefined}
    >
      <path class="edge-line" d={`M0 0V${height - 2}`} />
      <rect class="hit" x={-6} y={0} width={12} height={height} />
    </Handle>
  );
}
