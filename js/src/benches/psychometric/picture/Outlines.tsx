import { useMemo } from "preact/hooks";
import type { Scale } from "../../../lib/scale";
import { clamp } from "../../../lib/scale";
import { type Geometry, rowBand } from "../layout";
import type { Store, View } from "../store";
import type { Arranged } from "./arranged";

interface Props {
  g: Geometry;
  x: Scale;
  rows: Arranged;
  total: number;
  store: Store;
  view: View;
}

/** Outlines of the hovered and the held row, here and in the answers; and what senses the hand. */
export function Outlines({ g, rows, total, store, view }: Props) {
  const places = useMemo(() => new Map(rows.order.map((row, i) => [row, i])), [rows]);
  const n = Math.max(rows.order.length, Math.min(total, 544));
  const rowAt = (event: MouseEvent): number | null => {
    const area = event.currentTarget as SVGRectElement;
    const box = area.getBoundingClientRect();
    const fromBottom = (box.bottom - event.clientY) / box.height;
    return rows.order[clamp(Math.floor(fromBottom * n), 0, n - 1)] ?? null;
  };
  const area = {
    y: g.top,
    height: g.bottom - g.top,
    class: "hit",
    onPointerMove: (event: PointerEvent) => {
      if (!view.dragging) store.hover(rowAt(event));
    },
    onPointerLeave: () => store.hover(null),
    onClick: (event: MouseEvent) => {
      const row = rowAt(event);
      if (row !== null) store.pin(row);
    },
  };
  const outline = (row: number | null, look: string) => {
    const place = row === null ? undefined : places.get(row);
    if (place === undefined) return null;
    const { y, h } = rowBand(g, place, n);
    const height = Math.max(h + 1, 5);
    const top = y + h / 2 - height / 2;
    const box = { y: top, height, rx: 2, class: look };
    return (
      <>
        <rect {...box} x={g.left - 1} width={g.right - g.left + 2} />
        <rect {...box} x={g.column - 2} width={g.block + 4} />
      </>
    );
  };
  return (
    <g data-screen-only="">
      {outline(view.pinned, "outline pinned")}
      {view.hovered !== view.pinned && outline(view.hovered, "outline")}
      {rows.order.length > 0 && (
        <>
          <rect {...area} x={g.left} width={g.right - g.left} data-testid="rows" />
          <rect {...area} x={g.column - 4} width={g.block + 8} />
        </>
      )}
    </g>
  );
}
