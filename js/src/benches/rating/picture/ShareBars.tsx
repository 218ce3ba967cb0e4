import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { DistributionState } from "../../../generated/rating";
import { Handle } from "../../../lib/chart/Handle";
import { percent } from "../../../lib/format";
import { handleKey } from "../../../lib/keys";
import { px } from "../../../lib/marks";
import { clamp } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import { chosenLanguage, type Store, sharesOf, type View } from "../store";
import { kindText, sharesText } from "../texts";
import { drawnOrder, tonesOf } from "../tones";
import { blockName, rowsOf } from "./rows";
import { movedEdge, other } from "./shares";

interface Props {
  store: Store;
  view: View;
  values: readonly string[];
  width: number;
}

/** Of a block: its name, its bar, the names below it, and what came back. */
const ROW = 74;
const BAR = 14;
const NAMES = 18 + BAR + 11;
const BACK = NAMES + 6;
const TOP = 6;
const PAD = 8;

export const barsHeight = (blocks: number) => blocks * ROW + TOP;

/** The input of each block as a bar whose edges are dragged, with what came back below it. */
export function ShareBars({ store, view, values, width }: Props) {
  const svg = useRef<SVGSVGElement>(null);
  const { distributions } = view.inputs;
  const order = drawnOrder(values);
  return (
    <svg
      ref={svg}
      class="drawing share-bars"
      width={width}
      height={barsHeight(distributions.length)}
      role="group"
      aria-label="Shares in the input of each block, and in what comes back"
      data-testid="share-bars"
    >
      <ShareBarsBody view={view} values={values} width={width} />
      {distributions.map((one, block) =>
        order
          .slice(0, -1)
          .map((_, edge) => (
            <Edge
              key={`${block} ${edge}`}
              {...{ store, values, width, svg, block, one, order, edge }}
            />
          )),
      )}
    </svg>
  );
}

interface EdgeProps extends Omit<Props, "view"> {
  svg: RefObject<SVGSVGElement | null>;
  block: number;
  one: DistributionState;
  order: readonly number[];
  edge: number;
}

/** Between two parts of a bar. */
function Edge({ store, values, width, svg, block, one, order, edge }: EdgeProps) {
  const room = width - 2 * PAD;
  const value = order[edge]!;
  const placeOf = (shares: readonly number[]) =>
    order.slice(0, edge + 1).reduce((sum, v) => sum + (shares[v] ?? 0), 0);
  const moved = (to: number) => movedEdge(sharesOf(store, block), order, edge, clamp(to, 0, 1));
  return (
    <Handle<readonly number[]>
      svg={svg}
      x={px(PAD + room * placeOf(one.shares))}
      y={TOP + block * ROW + 18 + BAR / 2}
      get={() => sharesOf(store, block)}
      set={(shares) => store.move(block, shares)}
      at={(x) => other(moved((x - PAD) / room), sharesOf(store, block))}
      move={(event) => {
        const to = handleKey(event, placeOf(sharesOf(store, block)));
        return to === null ? null : moved(to);
      }}
      onDrag={(dragging) => store.drag(dragging ? block : null)}
      onFocused={(focused) => store.point(focused ? block : null)}
      label={`Input of block ${block + 1}, ${kindText(one)}: share of ${values[value]}`}
      value={{
        min: 0,
        now: Math.round(100 * (one.shares[value] ?? 0)),
        max: 100,
        text: sharesText(one.shares, values),
      }}
      look="bar-handle"
      data-testid="input-edge"
      data-block={block}
      data-edge={edge}
      data-shares={one.shares.join(",")}
    >
      <rect class="focus-ring" x={-8} y={-14} width={16} height={28} rx={5} />
      <rect class="hit" x={-9} y={-15} width={18} height={30} />
      <rect class="knob" x={-3.5} y={-10} width={7} height={20} rx={3} />
    </Handle>
  );
}

interface BodyProps {
  view: View;
  values: readonly string[];
  width: number;
}

/** The bars without their handles. */
export function ShareBarsBody({ view, values, width }: BodyProps) {
  const { distributions } = view.inputs;
  const chosen = chosenLanguage(view);
  const row = rowsOf(view).answered.find((one) => one.language === chosen);
  return (
    <g>
      {distributions.map((one, block) => (
        <g key={block} transform={`translate(${PAD} ${TOP + block * ROW})`}>
          <text class="t11 bold" x={0} y={11}>
            {blockName(one)}
          </text>
          <text class="t11 ink2" x={width - 2 * PAD} y={11} text-anchor="end">
            {largest(one, values)}
          </text>
          <Bar shares={one.shares} values={values} width={width - 2 * PAD} y={18} height={BAR} />
          <Names shares={one.shares} values={values} width={width - 2 * PAD} />
          {row?.points[block] && (
            <Bar
              shares={row.points[block]}
              values={values}
              width={width - 2 * PAD}
              y={BACK}
              height={6}
            />
          )}
        </g>
      ))}
    </g>
  );
}

/** The values' names below their parts of the bar, where there is room. */
function Names({ shares, values, width }: Pick<BarProps, "shares" | "values" | "width">) {
  return (
    <g>
      {partsOf(shares, values, width).map(({ value, from, wide }) => {
        const name = (values[value] ?? "").toLowerCase();
        return textWidth(name, 11) + 4 > wide ? null : (
          <text
            key={value}
            class="t11 ink2"
            x={px(from + wide / 2)}
            y={NAMES}
            text-anchor="middle"
            data-testid="part-name"
          >
            {name}
          </text>
        );
      })}
    </g>
  );
}

function largest({ shares }: DistributionState, values: readonly string[]): string {
  const most = shares.indexOf(Math.max(...shares));
  return `${percent(shares[most] ?? 0)} ${(values[most] ?? "").toLowerCase()}`;
}

interface BarProps {
  shares: readonly number[];
  values: readonly string[];
  width: number;
  y: number;
  height: number;
}

/** From where to where the values stand in a bar. */
function partsOf(shares: readonly number[], values: readonly string[], width: number) {
  const total = shares.reduce((a, b) => a + b, 0) || 1;
  let from = 0;
  return drawnOrder(values).map((value) => {
    const wide = (width * (shares[value] ?? 0)) / total;
    const part = { value, from, wide };
    from += wide;
    return part;
  });
}

/** Shares as a bar of a drawing. */
export function Bar({ shares, values, width, y, height }: BarProps) {
  const tones = tonesOf(values);
  return (
    <g>
      {partsOf(shares, values, width).map(({ value, from, wide }) =>
        wide > 0 ? (
          <rect
            key={value}
            class={`tone-${tones[value]}`}
            x={px(from)}
            y={y}
            width={px(Math.max(wide - 1, 0.5))}
            height={height}
          />
        ) : null,
      )}
    </g>
  );
}
