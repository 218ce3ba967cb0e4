import { useMemo, useRef } from "preact/hooks";
import { lineAround } from "../../../lib/boxes";
import { Handle } from "../../../lib/chart/Handle";
import { fixed, percent } from "../../../lib/format";
import { useFont, useWidth } from "../../../lib/hooks";
import { handleKey, SHARE } from "../../../lib/keys";
import { px } from "../../../lib/marks";
import { clamp } from "../../../lib/scale";
import { useUid } from "../../../lib/uid";
import type { Store, View } from "../store";
import { answerAt, CurveBody } from "./Curve";
import { wordBoxes } from "./labels";
import { curveGeometry } from "./layout";
import { snapped, stepped } from "./steps";

/** The curve over the blend, which the hand drags; below it the portraits along the way. */
export function Blend({ store, view }: { store: Store; view: View }) {
  const box = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidth(box, 600);
  useFont(box);
  const id = useUid();
  const g = useMemo(() => curveGeometry(width), [width]);
  const { picture, cues, steps, items } = view.morph;
  const { alpha, morph_item } = view.inputs;
  const at = px(g.x(alpha));
  const set = (to: number) => store.set({ alpha: snapped(to, steps) });
  const pse = picture?.pse_at === "at" ? picture.pse : null;
  const answer = picture ? answerAt(picture.curve, alpha) : null;
  const track = { x: g.left, width: g.right - g.left };
  const size = Math.min(58, Math.floor((g.right - g.left) / 5) - 6);
  return (
    <div ref={box} class="blend">
      <svg
        ref={svg}
        class="drawing"
        width={width}
        height={g.trackY + 18}
        role="group"
        aria-label={`Answers against the share of ${cues[1]} in the portrait`}
      >
        <linearGradient id={`${id}-blend`}>
          <stop offset="0" class="stop-1" />
          <stop offset="0.5" class="stop-0" />
          <stop offset="1" class="stop-2" />
        </linearGradient>
        <path class="guide" d={lineAround(at, g.top, g.trackY, wordBoxes(g, picture))} />
        <g class={view.morph.state === "asking" ? "stale" : ""}>
          <CurveBody g={g} picture={picture} cue={cues[1]} />
        </g>
        {answer !== null && <circle class="dot" cx={at} cy={px(g.y(answer))} r={4.5} />}
        <rect {...track} y={g.trackY - 3} height={6} rx={3} fill={`url(#${id}-blend)`} />
        <Handle
          svg={svg}
          x={at}
          y={g.trackY}
          get={() => store.view.inputs.alpha}
          set={set}
          at={(px) => Math.round(clamp(g.x.invert(px), 0, 1) * 1e3) / 1e3}
          move={(event) => {
            const now = store.view.inputs.alpha;
            const to = handleKey(event, now, SHARE, { n: 0.5, p: pse });
            return to === null ? null : stepped(now, to, steps);
          }}
          onStep={(by) => {
            const next = items[items.indexOf(picture?.item ?? morph_item) + by];
            if (next) store.set({ morph_item: next });
          }}
          onDrag={(dragging) => store.drag(dragging)}
          label={`Blend from ${cues[0]} to ${cues[1]}`}
          value={{ min: 0, now: alpha, max: 1, text: said(alpha, cues, answer) }}
          hits={[{ look: "axis-hit", ...track, y: g.trackY - 12, height: 24 }]}
          data-testid="alpha-handle"
          data-value={alpha}
        />
      </svg>
      <div class="strip" style={{ height: `${size + 26}px` }}>
        {(picture?.strip_at ?? []).map((place, i) => (
          <button
            key={place}
            type="button"
            class={Math.abs(place - alpha) < 0.02 ? "now" : ""}
            tabIndex={-1}
            aria-hidden="true"
            data-testid="strip"
            style={{ left: `${px(g.x(place) - size / 2)}px`, width: `${size}px` }}
            onClick={() => set(place)}
          >
            <img src={picture!.strip[i]} alt="" width={size} height={size} draggable={false} />
            {fixed(100 * place, 0)}
          </button>
        ))}
      </div>
    </div>
  );
}

function said(alpha: number, cues: readonly [string, string], answer: number | null): string {
  const blend = `${percent(alpha)} ${cues[1]}`;
  return answer === null ? blend : `${blend}: answers ${cues[1]} with ${percent(answer)}`;
}
