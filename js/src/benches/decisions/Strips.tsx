import { useLayoutEffect, useMemo } from "preact/hooks";
import type { Trials } from "../../generated/decisions";
import { usePointing } from "../../lib/bench/usePointing";
import { memo } from "../../lib/memo";
import type { Scale } from "../../lib/scale";
import type { Geometry } from "./layout";
import { type Layer, layers, nearest, place } from "./marks";
import { isAlone, type Store, trialOf, type View } from "./store";

interface Props {
  g: Geometry;
  x: Scale;
  store: Store;
  view: View;
}

/** Every trial as a mark: over 100 % the accepted, under 0 % the others, below those that are neither. */
export function Strips({ g, x, store, view }: Props) {
  const { marks } = view;
  const both = isAlone(view);
  const placed = useMemo(() => place(marks, g, x, both), [marks, g, x, both]);
  const drawn = useMemo(() => layers(marks, placed, both), [marks, placed, both]);
  const shown = marks.number.indexOf(trialOf(view));
  const pinned = marks.number.indexOf(view.pinned);
  const under = (event: MouseEvent) => {
    const svg = (event.currentTarget as SVGElement).ownerSVGElement!;
    const box = svg.getBoundingClientRect();
    const zoom = box.width / g.width || 1;
    const at = nearest(placed, (event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom);
    return at < 0 ? null : marks.number[at]!;
  };
  const any = marks.number.length > 0;
  const enter = () => {
    if (any && !store.view.hovered) store.hover(store.view.pinned || marks.number[0]!);
  };
  const { focused, handlers } = usePointing<number>({
    under,
    hover: (trial) => store.hover(trial ?? 0),
    hold: (trial) => store.pin(trial),
    enter,
  });
  useLayoutEffect(() => {
    if (focused) enter(); // the keys were here before the first trial
  }, [any]);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (by) store.hover(walk(marks, trialOf(store.view), by));
    else if (event.key === "Enter" || event.key === " ") store.pin(trialOf(store.view));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const ring = (at: number, look: string) =>
    at < 0 ? null : (
      <circle class={look} cx={placed.x[at]} cy={placed.y[at]} r={placed.size / 2 + 3.5} />
    );
  return (
    <g
      class="trials"
      data-testid="trials"
      data-count={marks.number.length}
      tabindex={0}
      role="slider"
      aria-label="Trials"
      aria-valuemin={Math.min(1, marks.number.length)}
      aria-valuemax={marks.number.length}
      aria-valuenow={shown + 1}
      aria-valuetext={
        shown < 0 ? `${marks.number.length} trials` : `Trial ${marks.number[shown]}, ${said(view)}`
      }
      onKeyDown={onKeyDown}
      {...handlers}
    >
      <Hits g={g} />
      <Marks layers={drawn} size={placed.size} />
      <g data-screen-only="">
        {ring(pinned, "trial-pinned")}
        {shown !== pinned && ring(shown, focused ? "trial-focus" : "trial-ring")}
      </g>
    </g>
  );
}

/** The chosen trial for a screen reader. */
const said = ({ detail }: View) =>
  `${detail.who.map((span) => span.text).join("")}: ${detail.read_as}`;

const STEPS: Record<string, 1 | -1> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
};

/** The trial before or after one, in the order of asking; from none the first or the last. */
export function walk(marks: Trials, trial: number, by: 1 | -1): number {
  const { number } = marks;
  if (number.length === 0) return 0;
  const at = number.indexOf(trial);
  if (at < 0) return by > 0 ? number[0]! : number.at(-1)!;
  return number[Math.min(Math.max(at + by, 0), number.length - 1)]!;
}

/** The strips take the pointer, also between the marks. */
const Hits = ({ g }: { g: Geometry }) => (
  <>
    {[
      [g.stripTop, g.top],
      [g.bottom, g.laneY + 8],
    ].map(([top, bottom]) => (
      <rect
        key={top}
        class="hit"
        data-screen-only=""
        x={g.left}
        y={top}
        width={g.right - g.left}
        height={bottom! - top!}
      />
    ))}
  </>
);

interface MarksProps {
  layers: readonly Layer[];
  size: number;
}

const Marks = memo(function Marks({ layers, size }: MarksProps) {
  return (
    <g pointer-events="none">
      {layers.map(({ key, tone, look, d }) => (
        <path
          key={key}
          class={`trial-${look} t${tone}`}
          d={d}
          stroke-width={look === "dot" ? size : look === "hollow" ? Math.max(0.6, size - 2) : 1.3}
        />
      ))}
    </g>
  );
});
