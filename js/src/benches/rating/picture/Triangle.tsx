import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { DistributionState } from "../../../generated/rating";
import { Handle } from "../../../lib/chart/Handle";
import { px } from "../../../lib/marks";
import { chosenLanguage, type Store, sharesOf, type View } from "../store";
import { kindText, sharesText } from "../texts";
import { drawnOrder } from "../tones";
import { type Corners, cornersIn, movedBy, placeOf, sharesAt } from "./corners";
import { rowsOf } from "./rows";
import { other } from "./shares";
import { TriangleBody } from "./TriangleBody";

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
        <Point key={block} {...{ store, values, svg, corners, block, one }} />
      ))}
    </svg>
  );
}

interface PointProps extends Omit<Props, "view" | "width"> {
  svg: RefObject<SVGSVGElement | null>;
  corners: Corners;
  block: number;
  one: DistributionState;
}

function Point({ store, values, svg, corners, block, one }: PointProps) {
  const { x, y } = placeOf(one.shares, corners);
  const [at, now] = [{ x: px(x), y: px(y) }, one.shares[corners.order[1]!] ?? 0];
  const point = (on: boolean) => store.point(on ? block : null);
  return (
    <Handle<readonly number[]>
      svg={svg}
      {...at}
      get={() => sharesOf(store, block)}
      set={(shares) => store.move(block, shares)}
      at={(x, y) => other(sharesAt({ x, y }, corners), sharesOf(store, block))}
      move={(event) => movedBy(event, sharesOf(store, block), corners.order)}
      onDrag={(dragging) => store.drag(dragging ? block : null)}
      onFocused={point}
      onPointerEnter={() => point(true)}
      onPointerLeave={() => point(false)}
      label={`Input of block ${block + 1}, ${kindText(one)}`}
      value={{ min: 0, now: Math.round(100 * now), max: 100, text: sharesText(one.shares, values) }}
      aria-roledescription="point in a triangle"
      data-testid="input-point"
      data-block={block}
      data-shares={one.shares.join(",")}
      data-x={at.x}
      data-y={at.y}
    >
      <circle class="halo-ring" r={14} />
      <circle class="focus-ring" r={12} />
      <circle class="hit" r={16} />
      <circle class="knob" r={8} />
      <circle class="knob-dot" r={3.5} />
    </Handle>
  );
}
