import type { DistributionState } from "../../../generated/rating";
import { px } from "../../../lib/marks";
import { nameOf } from "../store";
import { tonesOf } from "../tones";
import { type Corners, type Ends, endsOf, type Place, placeOf } from "./corners";
import { EndLabels } from "./EndLabels";
import { blockName, type Rows } from "./rows";

interface BodyProps {
  corners: Corners;
  values: readonly string[];
  blocks: readonly DistributionState[];
  rows: Rows;
  chosen: string;
  /** Points without handles, for a picture that is taken along. */
  plain?: boolean;
}

/** All but the handles: the triangle, arrows, what they mean. */
export function TriangleBody({ corners, values, blocks, rows, chosen, plain }: BodyProps) {
  const { left, right, top } = corners;
  const inputs = blocks.map((block) => block.shares);
  const ends = endsOf(rows.answered, inputs, chosen);
  return (
    <g>
      <path class="grid" d={gridOf(corners)} />
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
      <EndLabels ends={ends} inputs={inputs} corners={corners} />
      {blocks.map((block, i) => (
        <BlockName key={i} block={block} corners={corners} plain={plain} />
      ))}
    </g>
  );
}

/** Lines of equal shares, by quarters. */
function gridOf({ left, right, top }: Corners): string {
  const between = (from: Place, to: Place, share: number) =>
    `${px(from.x + share * (to.x - from.x))} ${px(from.y + share * (to.y - from.y))}`;
  const line = (share: number, [a, b, c]: readonly [Place, Place, Place]) =>
    `M${between(a, b, share)}L${between(a, c, share)}`;
  const from = [
    [left, right, top],
    [right, left, top],
    [top, left, right],
  ] as const;
  return [0.25, 0.5, 0.75].flatMap((share) => from.map((one) => line(share, one))).join("");
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
