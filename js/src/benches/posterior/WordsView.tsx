import { useMemo, useRef } from "preact/hooks";
import type { WordRow } from "../../generated/posterior";
import { usePointing } from "../../lib/bench/usePointing";
import { Mark } from "../../lib/chart/marks";
import { fixed } from "../../lib/format";
import { useFont, useWidth } from "../../lib/hooks";
import { listKey } from "../../lib/keys";
import { Segmented, Select } from "../../lib/ui/Controls";
import { whenEmpty } from "../../lib/ui/listbox";
import { type Column, SortableTable } from "../../lib/ui/SortableTable";
import { useUid } from "../../lib/uid";
import { GroupsView } from "./GroupsView";
import { Panel } from "./Panel";
import { Search } from "./Search";
import { type Inputs, pickedOf, rowsOf, type Store, type View, wordNow } from "./store";
import { digitsOf, distanceText, number, signed, whole } from "./texts";
import { WordRowsBody } from "./WordRowsBody";
import {
  distanceScale,
  HEAD,
  isNarrow,
  ROW,
  rowAt,
  toneOfWord,
  type WordLine,
  wordColumns,
  wordRows,
} from "./wordRows";

export const DISTANCES: { value: Inputs["distance"]; label: string }[] = [
  { value: "angular", label: "Angle, arccos/π" },
  { value: "half-cosine", label: "Half the cosine distance" },
  { value: "cosine", label: "Cosine distance" },
  { value: "euclidean", label: "Euclidean" },
];

const CENTRES: { value: Inputs["centre"]; label: string }[] = [
  { value: "prior", label: "from the prior’s mean" },
  { value: "origin", label: "from the origin" },
];

const COUNTS = [6, 12, 25, 50, 100, 200];

interface Props {
  store: Store;
  view: View;
  stale: boolean;
}

/** Which words lie closest to what was drawn, and where two groups of words lie. */
export function WordsView({ store, view, stale }: Props) {
  const { inputs, listed } = view;
  const { picture } = view.answer;
  const counts = COUNTS.includes(inputs.rows) ? COUNTS : [inputs.rows, ...COUNTS];
  return (
    <Panel
      title={`Distance of words to “${picture?.label || inputs.label}”`}
      label="Words"
      look="words-view"
      stale={stale}
      head={<Search store={store} view={view} />}
    >
      <div class="word-tools">
        <div class="mini">
          <Segmented
            label="Words as"
            testid="listed"
            value={listed}
            options={[
              { value: "picture", label: "Picture" },
              { value: "table", label: "Table" },
            ]}
            onChange={(value) => store.show({ listed: value })}
          />
        </div>
        <div class="mini end">
          <Select
            label="Words of each kind"
            testid="rows"
            value={String(inputs.rows)}
            options={counts.map((n) => ({ value: String(n), label: `${n} each` }))}
            onChange={(rows) => store.set({ rows: Number(rows) })}
          />
        </div>
        <div class="mini grow">
          <Select {...store.input("distance")} label="Distance" options={DISTANCES} />
        </div>
        <div class="mini grow">
          <Select {...store.input("centre")} label="Angles are seen from" options={CENTRES} />
        </div>
      </div>
      <Drawn store={store} view={view} />
    </Panel>
  );
}

/** Most rows that are on the screen at once; of more, the rest is scrolled to. */
const MOST_SHOWN = 12;

function Drawn({ store, view }: Omit<Props, "stale">) {
  const { picture } = view.answer;
  const { inputs, listed } = view;
  const words = picture?.words ?? null;
  const groups = picture?.groups ?? null;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 420);
  const font = useFont(box);
  const narrow = isNarrow(width);
  const rows = useMemo(() => wordRows(words, inputs.rows, narrow), [words, inputs.rows, narrow]);
  const columns = useMemo(() => wordColumns(width, rows), [width, rows, font]);
  const x = useMemo(() => distanceScale(words, groups, columns), [words, groups, columns]);
  const shown = useMemo(
    () => wordRows(null, Math.min(inputs.rows, MOST_SHOWN), narrow).height + HEAD,
    [inputs.rows, narrow],
  );
  return (
    <div ref={box} class="words-box">
      <div class="words-scroll" style={{ height: `${shown}px` }}>
        {listed === "table" ? (
          <WordTable store={store} view={view} />
        ) : (
          <Rows store={store} view={view} columns={columns} x={x} rows={rows} />
        )}
      </div>
      <p class="interval-label quiet" data-testid="interval-label">
        {words && (
          <>
            {words.distance_label}; {words.interval_label} intervals; {whole(words.total)} words of{" "}
            {words.lexicon || "the lexicon"}
          </>
        )}
      </p>
      <GroupsView store={store} view={view} columns={columns} x={x} />
    </div>
  );
}

interface RowsProps {
  store: Store;
  view: View;
  columns: ReturnType<typeof wordColumns>;
  x: ReturnType<typeof distanceScale>;
  rows: ReturnType<typeof wordRows>;
}

/** One Tab stop: arrows go from row to row, Enter picks. */
function Rows({ store, view, columns, x, rows }: RowsProps) {
  const id = useUid();
  const svg = useRef<SVGSVGElement>(null);
  const { hovered } = view;
  const picked = pickedOf(view);
  const words = view.answer.picture?.words ?? null;
  const under = (event: MouseEvent) =>
    rowAt(rows, event.clientY - svg.current!.getBoundingClientRect().top)?.name ?? null;
  const { focused, handlers } = usePointing<string>({
    under,
    hover: (word) => store.hover(word),
    hold: (word) => store.pick(word),
  });
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const now = rows.rows.findIndex(({ name }) => name === wordNow(store.view));
    const to = listKey(event.key, now, rows.rows.length);
    if (to !== null) store.hover(rows.rows[to]!.name);
    else if ((event.key === "Enter" || event.key === " ") && store.view.hovered)
      store.pick(store.view.hovered);
    else return;
    event.preventDefault();
  };
  const left = columns.nameRight - columns.nameWidth - 8;
  const active = rows.rows.findIndex(({ name }) => name === hovered);
  return (
    <div
      class="rows-box"
      role="listbox"
      {...whenEmpty(rows.rows.length)}
      tabIndex={0}
      aria-label="Closest and most distant words"
      aria-activedescendant={focused && active >= 0 ? `${id}-${active}` : undefined}
      data-testid="words"
      onKeyDown={key}
      {...handlers}
    >
      <svg
        ref={svg}
        class="drawing"
        width={columns.width}
        height={HEAD + rows.height}
        role="presentation"
      >
        {rows.rows.map(({ name, of, part, y }, i) => (
          <rect
            key={`${part} ${name}`}
            id={`${id}-${i}`}
            class={`band ${name === picked ? "held" : name === hovered ? "over" : ""}`}
            role="option"
            aria-selected={name === picked}
            aria-label={rowLabel(of, part)}
            data-testid="word-row"
            data-word={name}
            x={left}
            y={y - ROW / 2}
            width={columns.width - left}
            height={ROW}
            rx={3}
          />
        ))}
        <WordRowsBody words={words} rows={rows} columns={columns} x={x} picked={picked} />
      </svg>
    </div>
  );
}

const PARTS = { closest: "closest", picked: "picked", farthest: "most distant" } as const;

function rowLabel(row: WordRow, part: WordLine["part"]): string {
  const digits = digitsOf(row.low, row.high, 4);
  return `${row.word}, ${PARTS[part]}, rank ${row.rank}: distance ${distanceText(row)}, ${fixed(row.low, digits)} to ${fixed(row.high, digits)}`;
}

const COLUMNS: Column<WordRow>[] = [
  {
    key: "word",
    title: "Word",
    by: (row) => row.word,
    cell: (row) => (
      <span class="table-word">
        <svg
          class={`drawing ${toneOfWord(row).look}`}
          width="9"
          height="9"
          viewBox="-4.5 -4.5 9 9"
          aria-hidden="true"
        >
          <Mark x={0} y={0} shape={toneOfWord(row).shape} size={3.6} />
        </svg>
        <bdi>{row.word}</bdi>
      </span>
    ),
  },
  { key: "rank", title: "Rank", by: (row) => row.rank, cell: (row) => whole(row.rank) },
  { key: "distance", title: "Distance", by: (row) => row.distance, cell: distanceText },
  {
    key: "interval",
    title: "Interval",
    by: (row) => row.high - row.low,
    cell: (row) => {
      const digits = digitsOf(row.low, row.high, 4);
      // A narrow table may break it.
      return (
        <>
          {fixed(row.low, digits)}–<wbr />
          {fixed(row.high, digits)}
        </>
      );
    },
  },
  {
    key: "polarity",
    title: "Polarity",
    by: (row) => row.polarity,
    cell: (row) => number(row.polarity, 1),
    down: true,
  },
  {
    key: "difference",
    title: "Δ log p",
    by: (row) => row.difference,
    cell: (row) => (row.difference === null ? "–" : signed(row.difference, 1)),
    down: true,
  },
];

function WordTable({ store, view }: Omit<Props, "stale">) {
  const rows = rowsOf(view.answer.picture?.words ?? null);
  return (
    <SortableTable
      label="Closest and most distant words"
      testid="word-table"
      columns={COLUMNS}
      rows={rows}
      id={(row) => row.word}
      first="rank"
      picked={pickedOf(view)}
      onPick={(row) => store.pick(row.word)}
    />
  );
}
