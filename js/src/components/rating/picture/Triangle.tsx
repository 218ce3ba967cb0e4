import { useRef } from "preact/hooks";
import type { DistributionState } from "../../../generated/rating";
import { px } from "../../../lib/marks";
import { wrap } from "../../../lib/textwidth";
import { nameOf, type Store, type View } from "../store";
import { sharesText } from "../texts";
import { drawnOrder, tonesOf } from "../tones";
import {
  along,
  around,
  type Box,
  type Corners,
  cornersIn,
  type Ends,
  endsOf,
  type Label,
  labelAt,
  movedBy,
  placeOf,
  sharesAt,
} from "./corners";
import { blockName, type Rows, rowsOf } from "./rows";
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

export const chosenLanguage = ({ inputs, detail }: Pick<View, "inputs" | "detail">) =>
  inputs.language || detail.language || "";

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
      aria-label={`Input of block ${block + 1}, ${one.kind}`}
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

interface BodyProps {
  corners: Corners;
  values: readonly string[];
  blocks: readonly DistributionState[];
  rows: Rows;
  chosen: string;
  /** Points without handles, for a picture that is taken along. */
  plain?: boolean;
}

/** More are named by the matrix only. */
const MOST_LABELS = 6;
const GRID = [0.25, 0.5, 0.75];

/** All but the handles: the triangle, arrows, what they mean. */
export function TriangleBody({ corners, values, blocks, rows, chosen, plain }: BodyProps) {
  const { left, right, top } = corners;
  const at = (shares: readonly number[]) => placeOf(shares, corners);
  const lines = GRID.flatMap((s) => [
    [s, 0, 1 - s, s, 1 - s, 0],
    [0, s, 1 - s, 1 - s, s, 0],
    [s, 1 - s, 0, s, 0, 1 - s],
  ]);
  const line = ([a, b, c, d, e, f]: number[]) => {
    const own = (parts: number[]) => {
      const shares = [0, 0, 0];
      parts.forEach((share, i) => {
        shares[corners.order[i]!] = share;
      });
      return at(shares);
    };
    const [from, to] = [own([a!, b!, c!]), own([d!, e!, f!])];
    return `M${px(from.x)} ${px(from.y)}L${px(to.x)} ${px(to.y)}`;
  };
  const inputs = blocks.map((block) => block.shares);
  const ends = endsOf(rows.answered, inputs, chosen);
  const taken = [...cornerBoxes(corners, blocks), ...ends.flatMap((group) => arrowBoxes(group))];
  function arrowBoxes(group: Ends): Box[] {
    return group.points.flatMap((point, i) => {
      const input = inputs[i];
      return point && input ? along(at(input), at(point)) : [];
    });
  }
  const labels = ends.slice(0, MOST_LABELS).flatMap((group): [Ends, Label][] => {
    const found = labelOf(group, corners, taken);
    if (!found) return [];
    taken.push(found.box);
    return [[group, found]];
  });
  return (
    <g>
      <path class="grid" d={lines.map(line).join("")} />
      <path
        class="edge"
        d={`M${px(left.x)} ${left.y}L${px(right.x)} ${right.y}L${px(top.x)} ${top.y}Z`}
      />
      <CornerNames corners={corners} values={values} />
      {[...ends].reverse().map((group) => (
        <Arrows
          key={group.rows[0]!.language}
          group={group}
          corners={corners}
          inputs={inputs}
          chosen={group.rows.some((row) => row.language === chosen)}
        />
      ))}
      {labels.map(([group, label]) => (
        <text
          key={group.rows[0]!.language}
          class="t11 halo"
          x={px(label.x)}
          y={px(label.y)}
          text-anchor={label.anchor}
          data-testid="end-label"
        >
          {label.lines.map((text, i) => (
            <tspan
              key={text}
              x={px(label.x)}
              dy={i ? 14 : 0}
              class={text === group.note ? "ink2" : "bold"}
            >
              {text}
            </tspan>
          ))}
        </text>
      ))}
      {blocks.map((block, i) => (
        <BlockName key={i} block={block} corners={corners} plain={plain} />
      ))}
    </g>
  );
}

function BlockName({
  block,
  corners,
  plain,
}: {
  block: DistributionState;
  corners: Corners;
  plain?: boolean | undefined;
}) {
  const { x, y } = placeOf(block.shares, corners);
  const named = corners.left.y - y < 4 && Math.abs(x - corners.top.x) < 45;
  return (
    <>
      {plain && <circle class="knob" cx={px(x)} cy={px(y)} r={8} />}
      {plain && <circle class="knob-dot" cx={px(x)} cy={px(y)} r={3.5} />}
      {named && (
        <text class="t11 bold" x={px(x)} y={y + 26} text-anchor="middle">
          {blockName(block)}
        </text>
      )}
    </>
  );
}

/** What no label may cover: points, corners and their names. */
function cornerBoxes(corners: Corners, blocks: readonly DistributionState[]): Box[] {
  const { top, left, width, height } = corners;
  return [
    ...blocks.map((block) => around(placeOf(block.shares, corners), 11)),
    { left: top.x - 40, right: top.x + 40, top: 0, bottom: 19 },
    { left: 0, right: width, top: left.y + 10, bottom: height },
  ];
}

/** Names of many languages take lines of so many pixels. */
const LABEL = 122;

function labelOf(group: Ends, corners: Corners, taken: readonly Box[]): Label | null {
  const names = group.rows.map((row) => row.title || "what comes back");
  const shown = names.length > 3 ? [...names.slice(0, 2), `and ${names.length - 2} more`] : names;
  const title = `${shown.join(", ")}${group.note ? ":" : ""}`;
  const points = group.points
    .flatMap((point) => (point ? [placeOf(point, corners)] : []))
    .sort((a, b) => a.x - b.x);
  const middle = points[Math.floor(points.length / 2)];
  // The middle one of what is drawn from left to right, then the others.
  const order = middle ? [middle, ...points.filter((p) => p !== middle)] : [];
  for (const point of order) {
    const lines = [...wrap(title, 11, LABEL), ...(group.note ? [group.note] : [])];
    const found = labelAt(point, lines, corners.width, corners.height, taken);
    if (found) return found;
  }
  return null;
}

function CornerNames({ corners, values }: { corners: Corners; values: readonly string[] }) {
  const { left, right, top, order } = corners;
  const tones = tonesOf(values);
  const name = (i: number) => `all ${(values[order[i]!] ?? "").toLowerCase()}`;
  const tone = (i: number) => `t12 bold f${tones[order[i]!]}`;
  return (
    <>
      <text class={tone(0)} x={px(left.x)} y={left.y + 26} text-anchor="middle">
        {name(0)}
      </text>
      <text class={tone(1)} x={px(right.x)} y={right.y + 26} text-anchor="middle">
        {name(1)}
      </text>
      <text class={tone(2)} x={px(top.x)} y={14} text-anchor="middle">
        {name(2)}
      </text>
    </>
  );
}

/** Shorter than this there is no arrow: it stays put. */
const LEAST = 9;
const GAP = 10;
const HEAD = 8;

interface ArrowsProps {
  group: Ends;
  corners: Corners;
  inputs: readonly (readonly number[])[];
  chosen: boolean;
}

function Arrows({ group, corners, inputs, chosen }: ArrowsProps) {
  return (
    <g class={chosen ? "arrows chosen" : "arrows"}>
      {group.points.map((point, i) => {
        const input = inputs[i];
        if (!point || !input) return null;
        const [from, to] = [placeOf(input, corners), placeOf(point, corners)];
        const [dx, dy] = [to.x - from.x, to.y - from.y];
        const length = Math.hypot(dx, dy);
        const [ux, uy] = length > 0 ? [dx / length, dy / length] : [0, 0];
        const tip = { x: to.x - 5 * ux, y: to.y - 5 * uy };
        const neck = { x: tip.x - HEAD * ux, y: tip.y - HEAD * uy };
        return (
          <g
            key={i}
            data-testid="arrow"
            data-languages={group.rows.map((row) => row.language).join(" ")}
            data-block={i}
            data-from={nameOf(input)}
            data-to={point.join(",")}
          >
            {length > LEAST + GAP && (
              <>
                <path
                  class="shaft"
                  d={`M${px(from.x + GAP * ux)} ${px(from.y + GAP * uy)}L${px(neck.x)} ${px(neck.y)}`}
                />
                <path
                  class="arrow-head"
                  d={`M${px(tip.x)} ${px(tip.y)}L${px(neck.x - 3.5 * uy)} ${px(neck.y + 3.5 * ux)}L${px(neck.x + 3.5 * uy)} ${px(neck.y - 3.5 * ux)}Z`}
                />
              </>
            )}
            {length > LEAST && <circle class="end-dot" cx={px(to.x)} cy={px(to.y)} r={4} />}
          </g>
        );
      })}
    </g>
  );
}
