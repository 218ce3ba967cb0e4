import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import { clamp, type Scale } from "../../lib/scale";
import { textWidth } from "../../lib/textwidth";
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
  const { inputs, card } = view;
  const { picture } = view.answer;
  const { zero, point, wide, these, band, anchor, lines } = gap;
  const from = clamp(band[0], g.left, g.right);
  const to = clamp(band[1], g.left, g.right);
  const named = !g.narrow && anchor === "start";
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
      {named && from - 10 - textWidth("within ± 0.5 years", 11) > g.left - 40 && (
        <text class="t11 ink2" text-anchor="end">
          <tspan x={from - 8} y={g.gapTop + 8}>
            treated alike:
          </tspan>
          <tspan x={from - 8} y={g.gapTop + 22}>
            within ± {levelText(inputs.alike)} {card.unit}
          </tspan>
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
      no gap
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
  const pointer = useRef(-1);
  const [held, setHeld] = useState(false);
  const { level_step: step, unit } = view.card;
  const set = (margin: number) => {
    const fine = step / 5;
    const most = view.card.high - view.card.low;
    store.set({
      alike: Number((Math.round(clamp(margin, 0, most) / fine) * fine).toPrecision(6)),
    });
  };
  const place = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect();
    if (box) set(marginAt((event.clientX - box.left) / (box.width / g.width || 1)));
  };
  const end = () => {
    pointer.current = -1;
    setHeld(false);
    store.drag(false);
  };
  return (
    <g
      class={`margin-edge ${held ? "held-edge" : ""}`}
      data-screen-only=""
      data-testid={primary ? "margin-edge" : undefined}
      role="slider"
      tabindex={primary ? 0 : -1}
      aria-label="Margin within which groups are treated alike"
      aria-valuemin={0}
      aria-valuemax={view.card.high - view.card.low}
      aria-valuenow={view.inputs.alike}
      aria-valuetext={`plus and minus ${levelText(view.inputs.alike)} ${unit}`}
      onKeyDown={(event) => {
        const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (!by) return;
        set(view.inputs.alike + (by * step) / 5);
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        pointer.current = event.pointerId;
        setHeld(true);
        store.drag(true);
        event.preventDefault();
      }}
      onPointerMove={(event) => {
        if (event.pointerId === pointer.current) place(event);
      }}
      onPointerUp={end}
      onPointerCancel={end}
    >
      <line class="edge-line" x1={at} x2={at} y1={g.gapTop - 6} y2={g.gapBottom - 2} />
      <rect
        class="hit"
        x={at - 6}
        y={g.gapTop - 6}
        width={12}
        height={g.gapBottom - g.gapTop + 4}
      />
    </g>
  );
}
