import { useMemo, useRef } from "preact/hooks";
import type { Side } from "../../generated/association";
import { usePointing } from "../../lib/bench/usePointing";
import { shapePath } from "../../lib/chart/marks";
import { useFont, useWidth } from "../../lib/hooks";
import { px, tickPath } from "../../lib/marks";
import { clamp } from "../../lib/scale";
import { whenEmpty } from "../../lib/ui/listbox";
import { useUid } from "../../lib/uid";
import { type Field, moved, sameTerm, spotAt } from "./hand";
import {
  columnsOf,
  FOOT,
  HEAD,
  holding,
  laneHeight,
  laneY,
  type Rows,
  scaleOf,
  WORD,
} from "./layout";
import { SHAPES } from "./marks";
import { Points } from "./Points";
import { Estimates } from "./Posterior";
import { estimatesOf, type Spot, type Store, type View } from "./store";
import { pointsLabel, posteriorLabel } from "./texts";

interface Props {
  store: Store;
  view: View;
  kind: Spot["view"];
  index: 0 | 1;
  side: Side | null;
  rows: Rows;
  /** The step, or between which two the picture is. */
  at: number;
  title: string;
  note: string;
}

/** One plot with its rows: the points or the estimates of one subject. One Tab stop. */
export function Panel({ store, view, kind, index, side, rows, at, title, note }: Props) {
  const { picture } = view.answer;
  const { model, step } = view.inputs;
  const id = useUid();
  const box = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidth(box, 460);
  const font = useFont(box);
  const domain = kind === "points" ? picture?.axis : picture?.posterior_axis;
  const columns = useMemo(() => columnsOf(width, rows), [width, rows, font]);
  const [low, high] = domain ?? (kind === "points" ? [0.2, 1.5] : [0.6, 1.2]);
  const x = useMemo(() => scaleOf(holding([low, high], 1), columns), [low, high, columns]);
  const posterior = estimatesOf(side, model);
  // As chosen, not as far as the picture has slid: keys and pointer mean what it is going to show.
  const rowed = kind === "posterior" || step <= 2;
  const field: Field | null =
    side && rowed
      ? { view: kind, index, side, posterior, rows, x, pointed: kind === "points" && step === 1 }
      : null;
  const mine = (spot: Spot | null) => (spot?.view === kind && spot.side === index ? spot : null);
  const active = mine(view.hovered) ?? mine(view.held);

  const under = (event: MouseEvent): Spot | null => {
    const area = svg.current?.getBoundingClientRect();
    if (!area || !field) return null;
    return spotAt(field, event.clientX - area.left, event.clientY - area.top - HEAD);
  };
  const { focused, handlers } = usePointing({
    under,
    hover: (spot) => store.hover(spot),
    hold: (spot) => store.hold(spot),
    enter: () => {
      if (field && !active) store.hover(moved(field, "Home", null));
    },
  });
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !field) return;
    // As it is now: keys can come faster than the picture.
    const active = mine(store.view.hovered) ?? mine(store.view.held);
    if ((event.key === " " || event.key === "Enter") && active) store.hold(active);
    else {
      const to = moved(field, event.key, active);
      if (!to) return;
      store.hover(to);
    }
    event.preventDefault();
  };
  return (
    <section class="plot" aria-label={title}>
      <header class="plot-head wrap-row">
        <h2 class="t13">{title}</h2>
        <span
          class="plot-note ellipsis ink2 t12"
          title={note || undefined}
          data-testid={`${kind}-note`}
        >
          {note}
        </span>
      </header>
      <div
        ref={box}
        class="plot-box"
        role="listbox"
        {...whenEmpty(field ? 1 : 0)}
        tabIndex={0}
        aria-label={title}
        aria-activedescendant={focused && active && field ? `${id}-${active.word}` : undefined}
        data-testid={kind}
        data-side={index}
        data-domain={x.domain.join(" ")}
        data-range={x.range.join(" ")}
        onKeyDown={key}
        {...handlers}
      >
        <svg
          ref={svg}
          class="drawing"
          width={width}
          height={HEAD + rows.height + FOOT}
          role="presentation"
        >
          {field && <Bands field={field} view={view} width={width} id={id} />}
          {kind === "points" ? (
            <Points side={side} rows={rows} columns={columns} x={x} at={at} />
          ) : (
            <Estimates side={side} posterior={posterior} rows={rows} columns={columns} x={x} />
          )}
          {field && <Marked field={field} view={view} />}
        </svg>
      </div>
    </section>
  );
}

/** Behind the rows: which word is pointed at or held, in every view. */
function Bands(props: { field: Field; view: View; width: number; id: string }) {
  const { field, view, width, id } = props;
  const { side, rows, view: kind } = field;
  const { hovered, held } = view;
  const label = kind === "points" ? pointsLabel : null;
  return (
    <g transform={`translate(0 ${HEAD})`} data-screen-only="">
      {rows.words.map((row) => {
        const look = row.index === held?.word ? "held" : row.index === hovered?.word ? "over" : "";
        return (
          <rect
            key={row.index}
            id={`${id}-${row.index}`}
            class={`band ${look}`}
            role="option"
            aria-selected={look === "held"}
            aria-label={
              label
                ? label(side, row.name, row.index)
                : posteriorLabel(side, view.inputs.model, row.name, row.index)
            }
            data-testid={`${kind}-row`}
            data-word={row.name}
            y={row.top}
            width={width}
            height={WORD}
          />
        );
      })}
    </g>
  );
}

/** Over the rows: the spot itself, and the same attribute word at every other protected word. */
function Marked({ field, view }: { field: Field; view: View }) {
  return (
    <g transform={`translate(0 ${HEAD})`} data-screen-only="">
      {view.held && <Spotted field={field} spot={view.held} look="held" />}
      {view.hovered && <Spotted field={field} spot={view.hovered} look="over" />}
    </g>
  );
}

function Spotted({ field, spot, look }: { field: Field; spot: Spot; look: string }) {
  const { side, rows, x, posterior } = field;
  const n = side.connections.length;
  const row = rows.words[spot.word];
  const connection = side.connections[spot.connection];
  if (!row || !connection) return null;
  const y = laneY(row, spot.connection, n);
  const at = (v: number) => clamp(x(v), ...x.range);
  if (field.pointed) {
    const value =
      spot.point === null ? undefined : side.distances[spot.word]?.[spot.connection]?.[spot.point];
    if (value === undefined) return null;
    const others = sameTerm(side, spot).filter((o) => o.word !== spot.word);
    return (
      <g class={`spot ${look}`} data-testid="spot">
        <path
          class="same-term"
          d={others
            .map((o) =>
              tickPath([at(o.value)], laneY(rows.words[o.word]!, o.lane, n), laneHeight(n) + 3),
            )
            .join("")}
        />
        <circle class="ring" cx={px(at(value))} cy={px(y)} r={6} />
      </g>
    );
  }
  const value =
    field.view === "points"
      ? side.means[spot.word]?.[spot.connection]
      : posterior?.words[spot.word]?.[spot.connection]?.value;
  if (typeof value !== "number") return null;
  return (
    <g class={`spot ${look}`} data-testid="spot">
      <path class="ring" d={shapePath(SHAPES[connection.key], at(value), y, 6.5)} />
    </g>
  );
}
