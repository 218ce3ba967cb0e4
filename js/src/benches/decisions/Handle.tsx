import type { RefObject } from "preact";
import { useHandle } from "../../lib/bench/useHandle";
import { percent } from "../../lib/format";
import { px } from "../../lib/marks";
import { linear, type Scale } from "../../lib/scale";
import type { Geometry } from "./layout";
import { shareAt } from "./paths";
import { isAlone, type Store, type View } from "./store";
import { levelOf } from "./texts";

interface Props {
  g: Geometry;
  x: Scale;
  store: Store;
  view: View;
  svg: RefObject<SVGSVGElement | null>;
}

/** The level on the axis, and over it where the newest questions went. */
export function Handle({ g, x, store, view, svg }: Props) {
  const { card, inputs } = view;
  const span = card.high - card.low || 1;
  const steps = Math.max(1, Math.round(span / card.step));
  const fraction = linear([0, 1], x.range);
  const drag = useHandle({
    x: fraction,
    svg,
    step: 1 / steps,
    get: () => (store.view.inputs.x - card.low) / span,
    set: (to) => store.move(card.low + to * span),
    onDrag: (dragging) => store.drag(dragging),
  });
  const at = x(Math.min(Math.max(inputs.x, card.low), card.high));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = moved(event, store.view.inputs.x, card);
    if (to !== null) {
      drag.remember();
      store.move(to);
    } else if (event.key !== "Escape" || !drag.undo()) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <g>
      <Ridge g={g} x={x} view={view} />
      <rect
        class="hit axis-hit"
        data-screen-only=""
        x={g.left}
        y={g.axisY - 12}
        width={g.right - g.left}
        height={24}
        {...drag.events}
      />
      <g
        class={`handle ${view.dragging ? "dragging" : ""}`}
        data-testid="x-handle"
        role="slider"
        tabindex={0}
        aria-label={card.quality || "Level"}
        aria-valuemin={card.low}
        aria-valuemax={card.high}
        aria-valuenow={inputs.x}
        aria-valuetext={inWords(view)}
        aria-orientation="horizontal"
        transform={`translate(${at} ${g.axisY})`}
        onKeyDown={onKeyDown}
        onBlur={drag.forget}
        {...drag.events}
      >
        <circle class="halo-ring" r={15} data-screen-only="" />
        <circle class="focus-ring" r={13.5} data-screen-only="" />
        <circle class="knob" r={9} />
        <path class="grip" d="M-2 -3v6M2 -3v6" />
      </g>
    </g>
  );
}

interface Ends {
  low: number;
  high: number;
  step: number;
}

/** Where a key moves the handle; null for any other key. */
export function moved(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  x: number,
  { low, high, step }: Ends,
): number | null {
  const by = (shiftKey ? 5 : 1) * step;
  const to: Record<string, number> = {
    ArrowRight: x + by,
    ArrowUp: x + by,
    ArrowLeft: x - by,
    ArrowDown: x - by,
    PageUp: x + 5 * step,
    PageDown: x - 5 * step,
    Home: low,
    End: high,
  };
  return to[key] ?? null;
}

function inWords(view: View): string {
  const { picture } = view.answer;
  const level = levelOf(view, view.inputs.x);
  const alone = isAlone(view);
  const shares = (picture?.curves ?? []).map((curve, i) => {
    const name = view.card.groups[alone ? i : 1]?.name ?? "";
    const { value } = shareAt(picture!.levels, curve, view.inputs.x);
    return `${name} ${alone ? view.card.outcome : "chosen"} ${percent(value)}`;
  });
  return [level, ...shares].join(", ");
}

/** How the newest questions are spread over the levels, for each group. */
function Ridge({ g, x, view }: { g: Geometry; x: Scale; view: View }) {
  const { picture } = view.answer;
  const ridges = picture?.ridge ?? [];
  if (!picture || ridges.length === 0) return null;
  const most = Math.max(...ridges.flat(), 1e-9);
  const base = g.axisY - 4;
  const height = base - g.ridgeTop;
  const alone = isAlone(view);
  return (
    <g data-testid="ridge">
      {ridges.map((ridge, i) => {
        const line = picture.levels.map(
          (level, k) => `L${px(x(level))} ${px(base - (height * (ridge[k] ?? 0)) / most)}`,
        );
        const ends = [picture.levels[0] ?? 0, picture.levels.at(-1) ?? 0];
        return (
          <path
            key={i}
            class={alone ? `ridge r${i + 1}` : "ridge"}
            d={`M${px(x(ends[0]!))} ${base}${line.join("")}L${px(x(ends[1]!))} ${base}z`}
          />
        );
      })}
      {!g.narrow && (
        <text class="t11 ink2" x={g.right + 8} y={base - 4}>
          next trials
        </text>
      )}
    </g>
  );
}
