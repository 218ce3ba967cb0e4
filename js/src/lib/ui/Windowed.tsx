import type { ComponentChildren, HTMLAttributes } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { heightsOf, within } from "./window";

interface Props<T> {
  items: readonly T[];
  id: (item: T) => string;
  /** How high an item is before it has been seen. */
  estimate: (item: T) => number;
  /** Highest that the list gets, in CSS pixels; it scrolls within. */
  tall: number;
  /** An item that must be in sight, and is brought there when it changes. */
  active?: string;
  /** What else the scrolling element has: role, name, keys. */
  attributes?: HTMLAttributes<HTMLDivElement>;
  children: (item: T, index: number) => ComponentChildren;
}

/** Room above and below what is seen that is drawn as well. */
const SPARE = 240;

/** A scrolling list of which only what is seen is drawn; heights are measured as they come. */
export function Windowed<T>({ items, id, estimate, tall, active, ...props }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const measured = useRef(new Map<string, number>());
  const [, measure] = useState(0);
  const [top, setTop] = useState(0);
  const ends = heightsOf(items, (item) => measured.current.get(id(item)) ?? estimate(item));
  const total = ends.at(-1) ?? 0;
  const seen = Math.min(tall, total);
  const at = Math.max(0, Math.min(top, total - seen));
  const [from, to] = within(ends, at - SPARE, at + seen + SPARE);

  useLayoutEffect(() => {
    let moved = false;
    for (const node of (inner.current?.children ?? []) as Iterable<HTMLElement>) {
      const key = node.dataset.item!;
      if (node.offsetHeight === 0 || measured.current.get(key) === node.offsetHeight) continue;
      measured.current.set(key, node.offsetHeight);
      moved = true;
    }
    if (moved) measure((n) => n + 1);
  });
  useLayoutEffect(() => {
    const index = active === undefined ? -1 : items.findIndex((item) => id(item) === active);
    const element = box.current;
    if (index < 0 || !element) return;
    const [low, high] = [ends[index - 1] ?? 0, ends[index]!];
    if (low < element.scrollTop + STUCK) element.scrollTop = Math.max(0, low - STUCK);
    else if (high > element.scrollTop + element.clientHeight)
      element.scrollTop = high - element.clientHeight + 8;
  }, [active]);
  return (
    <div
      {...props.attributes}
      ref={box}
      class={`windowed ${props.attributes?.class ?? ""}`}
      style={{ maxHeight: `${tall}px` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div style={{ height: `${total}px` }} role="presentation">
        <div
          ref={inner}
          role="presentation"
          style={{ transform: `translateY(${ends[from - 1] ?? 0}px)` }}
        >
          {items.slice(from, to).map((item, i) => (
            <div key={id(item)} data-item={id(item)} role="presentation">
              {props.children(item, from + i)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Above an item that is brought into sight the one before it is seen, too. */
const STUCK = 36;
