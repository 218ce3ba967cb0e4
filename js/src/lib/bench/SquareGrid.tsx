import { useRef, useState } from "preact/hooks";
import { memo } from "../memo";
import { whenEmpty } from "../ui/listbox";
import { useUid } from "../uid";
import {
  type Cell,
  cellAt,
  firstCell,
  pathsOf,
  placeOf,
  type Raster,
  type SquareRow,
  squareKey,
} from "./squares";

interface Props {
  rows: readonly SquareRow[];
  raster: Raster;
  width: number;
  height: number;
  /** What a screen reader says of the grid, and of one square. */
  label: string;
  labelOf: (cell: Cell) => string;
  testid: string;
  /** Whose squares these are. */
  name?: string;
  /** The square under the pointer or the keys, and the one that a click holds. */
  hovered: Cell | null;
  held: Cell | null;
  /** The square that another view points at. */
  marked?: Cell | null;
  onHover: (cell: Cell | null) => void;
  onHold: (cell: Cell) => void;
  /** Any other key, on the square that the keys are on. */
  onKey?: (key: string, cell: Cell) => boolean;
}

/** Squares, one Tab stop: arrows inside, hover previews, a click or Space holds. */
export function SquareGrid(props: Props) {
  const { rows, raster, hovered, held, marked } = props;
  const id = useUid();
  const box = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(false);
  const active = hovered ?? held;
  // Keys can come faster than the picture: they go on from where the last one led.
  const now = useRef<Cell | null>(null);
  now.current = active;

  const under = (event: MouseEvent) => {
    const area = box.current!.getBoundingClientRect();
    return cellAt(rows, raster, event.clientX - area.left, event.clientY - area.top);
  };
  const hover = (cell: Cell | null) => {
    if (cell?.row === now.current?.row && cell?.at === now.current?.at && cell !== null) return;
    now.current = cell;
    props.onHover(cell);
  };
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = now.current ?? firstCell(rows);
    if (!at) return;
    const to = squareKey(event.key, at, rows, raster);
    if (to) hover(now.current ? to : at);
    else if (event.key === " " || event.key === "Enter") props.onHold(at);
    else if (!props.onKey?.(event.key, at)) return;
    event.preventDefault();
  };
  return (
    <div
      ref={box}
      class="squares"
      style={{ width: `${props.width}px`, height: `${props.height}px` }}
      role="listbox"
      {...whenEmpty(active && rows[active.row] ? 1 : 0)}
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={focused && active ? `${id}-now` : undefined}
      data-testid={props.testid}
      data-name={props.name}
      onKeyDown={key}
      onFocus={() => {
        setFocused(true);
        const first = now.current ?? firstCell(rows);
        if (first && !box.current!.matches(":hover")) hover(first);
      }}
      onBlur={() => {
        setFocused(false);
        props.onHover(null);
      }}
      onPointerMove={(event) => hover(under(event))}
      onPointerLeave={() => props.onHover(null)}
      onClick={(event) => {
        const cell = under(event);
        if (cell) props.onHold(cell);
      }}
    >
      <svg class="drawing" width={props.width} height={props.height} role="presentation">
        <SquareRows rows={rows} raster={raster} />
      </svg>
      {held && hovered && !same(held, hovered) && <Ring raster={raster} rows={rows} cell={held} />}
      {marked && <Ring raster={raster} rows={rows} cell={marked} look="pointed" />}
      {active && rows[active.row] && (
        <Ring
          raster={raster}
          rows={rows}
          cell={active}
          id={`${id}-now`}
          label={props.labelOf(active)}
          look={held && same(active, held) ? "held" : "pointed"}
        />
      )}
    </div>
  );
}

export const same = (a: Cell, b: Cell) => a.row === b.row && a.at === b.at;

/** Only the squares, also for the picture that is taken along. */
export function SquareRows({ rows, raster }: { rows: readonly SquareRow[]; raster: Raster }) {
  return (
    <g>
      {rows.map(({ key, ...row }) => (
        <Row key={key} name={key} {...row} {...raster} />
      ))}
    </g>
  );
}

const Row = memo(function Row({
  name,
  tones,
  faded,
  top,
  ...raster
}: Omit<SquareRow, "key"> & Raster & { name: string }) {
  return (
    <g
      transform={`translate(0 ${top})`}
      data-testid="squares-row"
      data-row={name}
      data-tones={tones}
    >
      {[...pathsOf(tones, faded, raster)].map(([tone, d]) => (
        <path key={tone} class={classOf(tone)} d={d} />
      ))}
    </g>
  );
});

const NAMES: Record<string, string> = {
  A: "w1",
  B: "w2",
  C: "w3",
  a: "a1",
  b: "a2",
  c: "a3",
  t: "tie",
  f: "failed",
  "-": "pending",
};

export const classOf = (tone: string) =>
  `square ${NAMES[tone[0]!]}${tone.length > 1 ? " faded" : ""}`;

interface RingProps {
  rows: readonly SquareRow[];
  raster: Raster;
  cell: Cell;
  id?: string;
  label?: string;
  look?: "held" | "pointed";
}

function Ring({ rows, raster, cell, id, label, look = "held" }: RingProps) {
  const { x, y } = placeOf(raster, rows[cell.row]?.top ?? 0, cell.at);
  const box = {
    class: `square-ring ${look}`,
    style: {
      left: `${x - 3}px`,
      top: `${y - 3}px`,
      width: `${raster.side + 6}px`,
      height: `${raster.side + 6}px`,
    },
  };
  if (!label) return <div {...box} />;
  return (
    <div
      {...box}
      id={id}
      role="option"
      tabIndex={-1}
      aria-label={label}
      aria-selected={look === "held"}
      data-testid="square-now"
    />
  );
}
