import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { usePointing } from "../../lib/bench/usePointing";
import { useFont, useWidth } from "../../lib/hooks";
import { listKey } from "../../lib/keys";
import { whenEmpty } from "../../lib/ui/listbox";
import { useUid } from "../../lib/uid";
import { arrange, scrollTo, windowOf } from "./arrange";
import { Card } from "./Card";
import { FOOT, geometryOf, HEAD, marksIn, RowsFoot, RowsGrid, RowsHead } from "./Frame";
import { frameOf, MOST_PLOTS, ROW } from "./layout";
import { openWord } from "./open";
import { Row } from "./Row";
import { RowsControls } from "./RowsControls";
import { contrastsOf, groupNames, type Store, type View } from "./store";

/** Most rows that are shown without scrolling, and the room kept for few. */
const MOST_ROWS = { wide: 38, narrow: 24 };
const FEWEST_ROWS = 12;

interface Props {
  store: Store;
  view: View;
  stale: boolean;
}

/** The words, one row each. Rows outside the scrolled window are not made. */
export function Rows({ store, view, stale }: Props) {
  const { picture } = view.answer;
  const { measure, sort, shown, search, contrast } = view.inputs;
  const main = contrastsOf(view)[0] ?? null;
  const rows = useMemo(
    () => (picture && main ? arrange(picture, main, { measure, sort, shown, search }) : []),
    [picture, main, measure, sort, shown, search],
  );
  return (
    <section class={`panel rows ${stale ? "stale" : ""}`} aria-label="Result of each word">
      <RowsControls store={store} view={view} />
      <RowsPlot store={store} view={view} rows={rows} contrast={contrast} />
    </section>
  );
}

interface PlotProps {
  store: Store;
  view: View;
  rows: number[];
  contrast: number;
}

function RowsPlot({ store, view, rows, contrast }: PlotProps) {
  const { picture } = view.answer;
  const { measure, word, adjust } = view.inputs;
  const id = useUid();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 600);
  const font = useFont(box);
  const [scroll, setScroll] = useState(0);
  const pointer = useRef("");
  const contrasts = useMemo(() => contrastsOf(view).slice(0, MOST_PLOTS), [picture, contrast]);
  const level = picture?.interval_level ?? 0.95;
  const g = useMemo(
    () => geometryOf(width, picture, contrasts, measure, level),
    [width, picture, contrasts, measure, level, font],
  );
  const [one, two] = groupNames(view);
  const frame = useMemo(
    () => frameOf(g, contrasts, measure, [one, two]),
    [g, contrasts, measure, one, two],
  );

  const marks = useMemo(() => marksIn(contrasts, adjust), [contrasts, adjust]);
  const n = rows.length;
  const words = picture?.words.length ?? view.inputs.words.length;
  const height =
    ROW * Math.min(MOST_ROWS[g.narrow ? "narrow" : "wide"], Math.max(FEWEST_ROWS, words));
  const { first, last } = windowOf(scroll, height, ROW, n);
  const places = useMemo(() => new Map(rows.map((row, place) => [row, place])), [rows]);
  const { hovered, held } = view;
  const active = hovered !== null ? (places.get(hovered) ?? null) : null;
  const cardOf = hovered !== null && view.hoveredIn === "rows" ? hovered : held;
  const cardPlace = cardOf === null ? undefined : places.get(cardOf);

  const cardTop = (cardPlace ?? 0) * ROW - scroll;
  const isInSight = cardTop > -ROW && cardTop < height;

  // Another order or filter begins at its top.
  useLayoutEffect(() => {
    const most = Math.max(0, n * ROW - height);
    if (box.current && box.current.scrollTop > most) box.current.scrollTop = most;
  }, [n, height]);

  const show = (place: number) => {
    const area = box.current;
    if (!area) return;
    area.scrollTop = scrollTo(place, area.scrollTop, height, ROW);
    setScroll(area.scrollTop);
  };
  const go = (place: number) => {
    show(place);
    store.hover(rows[place] ?? null);
  };
  // A word that was picked elsewhere is brought into sight.
  useLayoutEffect(() => {
    const place = held === null ? undefined : places.get(held);
    if (place !== undefined) show(place);
  }, [held]);
  const at = active ?? (held === null ? null : (places.get(held) ?? null)) ?? -1;
  const rowAt = (event: Event): number | null => {
    const row = (event.target as Element).closest<SVGGElement>("[data-index]");
    return row ? Number(row.dataset.index) : null;
  };
  const { focused, handlers } = usePointing<number>({
    under: rowAt,
    hover: (row) => store.hover(row),
    // The second click of two opens the word.
    hold: (row, event) => {
      if (event.detail < 2) store.hold(row);
    },
    enter: () => {
      if (hovered === null && n > 0) store.hover(rows[Math.max(0, at)]!);
    },
  });
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = listKey(event.key, at, n);
    const row = rows[at];
    if (to !== null) go(to);
    else if (event.key === "Enter" && row !== undefined) openWord(store, view, row);
    else if (event.key === " " && row !== undefined) store.hold(row);
    else return;
    event.preventDefault();
  };
  const look = (row: number) =>
    `${row === hovered ? "hovered" : ""} ${picture?.words[row] === word && word ? "picked" : ""}`.trim();

  return (
    <div class="plot">
      <svg class="drawing head-drawing" width={g.width} height={HEAD} aria-hidden="true">
        <RowsHead
          {...frame}
          level={level}
          middle={picture?.middle ?? "neutral"}
          ranked={picture?.ranking !== null && picture !== null}
        />
      </svg>
      <div
        ref={box}
        class="rows-box"
        role="listbox"
        {...whenEmpty(n)}
        tabIndex={0}
        aria-label={`Words, ${measure.toUpperCase()}`}
        aria-activedescendant={focused && active !== null ? `${id}-${rows[active]}` : undefined}
        style={{ height: `${height}px` }}
        data-testid="rows"
        data-count={n}
        onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
        onKeyDown={key}
        {...handlers}
        onPointerMove={(event) => {
          // Rows that move under a resting pointer are not pointed at.
          const at = `${event.clientX} ${event.clientY}`;
          if (at !== pointer.current) handlers.onPointerMove(event);
          pointer.current = at;
        }}
        onDblClick={(event) => {
          const row = rowAt(event);
          if (row !== null) openWord(store, view, row);
        }}
      >
        <div class="rows-all" style={{ height: `${Math.max(n * ROW, height)}px` }}>
          <svg
            class="drawing"
            width={g.width}
            height={n === 0 ? height : (last - first) * ROW}
            style={{ transform: `translateY(${first * ROW}px)` }}
            role="presentation"
          >
            <RowsGrid
              scales={frame.scales}
              axis={frame.axis}
              height={Math.max(height, (last - first) * ROW)}
            />
            {picture &&
              rows
                .slice(first, last)
                .map((row, i) => (
                  <Row
                    key={picture.words[row]}
                    id={`${id}-${row}`}
                    index={row}
                    place={first + i}
                    total={n}
                    y={i * ROW}
                    g={g}
                    scales={frame.scales}
                    picture={picture}
                    contrasts={contrasts}
                    measure={measure}
                    look={look(row)}
                  />
                ))}
          </svg>
          {picture && n === 0 && <p class="none-shown">No word fits the filter.</p>}
        </div>
      </div>
      <svg class="drawing foot-drawing" width={g.width} height={FOOT} aria-hidden="true">
        <RowsFoot {...frame} jnd={picture?.jnd_label ?? ""} marks={marks} />
      </svg>
      {n * ROW > height && (
        <p class="under" data-testid="more-rows">
          {Math.floor(height / ROW)} of {n} words are in view: scroll in the list for the others.
        </p>
      )}
      {g.ranking !== null && (
        <p class="under" data-testid="ranking-caveat">
          {picture?.ranking?.caveat}
          {(picture?.contrasts.length ?? 0) > MOST_PLOTS &&
            ` ${MOST_PLOTS} of ${picture?.contrasts.length} comparisons are drawn; choose any above.`}
        </p>
      )}
      {picture && cardOf !== null && cardPlace !== undefined && isInSight && (
        <Card
          store={store}
          view={view}
          index={cardOf}
          g={g}
          scale={frame.scales[0]!}
          top={HEAD + cardTop}
          plotHeight={height}
        />
      )}
    </div>
  );
}
