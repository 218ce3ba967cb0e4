import type { RefObject } from "preact";
import { Handle } from "../../lib/chart/Handle";
import { percent } from "../../lib/format";
import { handleKey } from "../../lib/keys";
import { px } from "../../lib/marks";
import { clamp, type Scale } from "../../lib/scale";
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
export function Level({ g, x, store, view, svg }: Props) {
  const { low, high, step, quality } = view.card;
  const now = view.inputs.x;
  return (
    <g>
      <Ridge g={g} x={x} view={view} />
      <Handle
        svg={svg}
        x={x(clamp(now, low, high))}
        y={g.axisY}
        get={() => store.view.inputs.x}
        set={(to) => store.move(to)}
        at={x.invert}
        move={(event) => handleKey(event, store.view.inputs.x, { low, high, step, far: 5 * step })}
        onDrag={(dragging) => store.drag(dragging)}
        label={quality || "Level"}
        value={{ min: low, now, max: high, text: inWords(view) }}
        hits={[
          { look: "axis-hit", x: g.left, y: g.axisY - 12, width: g.right - g.left, height: 24 },
        ]}
        data-testid="x-handle"
      />
    </g>
  );
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
