import { useRef } from "preact/hooks";
import type { DistributionState } from "../../../generated/rating";
import { px } from "../../../lib/marks";
import { chosenLanguage, type Store, type View } from "../store";
import { kindText, sharesText } from "../texts";
import { drawnOrder } from "../tones";
import { type Corners, cornersIn, movedBy, placeOf, sharesAt } from "./corners";
import { rowsOf } from "./rows";
import { TriangleBody } from "./TriangleBody";
import { useDrag } from "./useDrag";

interface Props {
  store: Store;
  view: View;
  values: readonly string[];
  width: number;
}

/** The input of each block as a point that is dragged, with arrows to what came back. */
export function Triangle({ store, view, values, width }: Props) {
  const svg = useRef<SVGSVGElement>(null);
  const { distributions } = view.inputs;
  const corners = cornersIn(width, drawnOrder(values));
  const drag = useDrag({
    svg,
    get: (block) => distributions[block]?.shares ?? [],
    set: (block, shares) => store.shares(block, shares),
    sharesAt: (_, at) => sharesAt(at, corners),
    onDrag: (block) => store.drag(block),
  });
  return (
    <svg
      ref={svg}
      class="drawing triangle"
      width={width}
      height={corners.height}
      role="group"
      aria-label="Shares in the input of each block, and in what comes back"
      data-testid="triangle"
    >
      <TriangleBody
        corners={corners}
        values={values}
        blocks={distributions}
        rows={rowsOf(view)}
        chosen={chosenLanguage(view)}
      />
      {distributions.map((one, block) => (
        <Handle
          key={block}
          block={block}
          one={one}
          corners={corners}
          values={values}
          dragging={view.dragging === block}
          onKey={(event) => {
            if (event.key === "Escape") {
              if (drag.undo(block)) event.stopPropagation();
              return;
            }
            if (event.altKey || event.ctrlKey || event.metaKey) return;
            const moved = movedBy(event, one.shares, corners.order);
            if (!moved) return;
            event.preventDefault();
            drag.remember(block);
            store.shares(block, moved);
          }}
          onBlur={() => {
            drag.forget();
            store.point(null);
          }}
          onPoint={(on) => store.point(on ? block : null)}
          events={drag.eventsOf(block)}
        />
      ))}
    </svg>
  );
}

interface HandleProps {
  block: number;
  one: DistributionState;
  corners: Corners;
  values: readonly string[];
  dragging: boolean;
  onKey: (event: KeyboardEvent) => void;
  onBlur: () => void;
  onPoint: (on: boolean) => void;
  events: Record<string, (event: PointerEvent) => void>;
}

function Handle(props: HandleProps) {
  const { block, one, corners, values, dragging, events } = props;
  const { x, y } = placeOf(one.shares, corners);
  const second = corners.order[1]!;
  return (
    <g
      class={`handle ${dragging ? "dragging" : ""}`}
      transform={`translate(${px(x)} ${px(y)})`}
      tabIndex={0}
      role="slider"
      aria-roledescription="point in a triangle"
      aria-label={`Input of block ${block + 1}, ${kindText(one)}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(100 * (one.shares[second] ?? 0))}
      aria-valuetext={sharesText(one.shares, values)}
      data-testid="input-point"
      data-block={block}
      data-shares={one.shares.join(",")}
      data-x={px(x)}
      data-y={px(y)}
      onKeyDown={props.onKey}
      onFocus={() => props.onPoint(true)}
      onBlur={props.onBlur}
      onPointerEnter={() => props.onPoint(true)}
      onPointerLeave={() => props.onPoint(false)}
      {...events}
    >
      <circle class="halo-ring" r={14} />
      <circle class="focus-ring" r={12} />
      <circle class="hit" r={16} />
      <circle class="knob" r={8} />
      <circle class="knob-dot" r={3.5} />
    </g>
  );
}
