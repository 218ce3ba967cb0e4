import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Picture } from "../../generated/psychometric";
import { count, fixed, many, percent, short } from "../../lib/format";
import { useWidth } from "../../lib/hooks";
import { gridKey } from "../../lib/keys";
import { memo } from "../../lib/memo";
import { Mark } from "../../lib/ui/Icons";
import { whenEmpty } from "../../lib/ui/listbox";
import { Popover } from "../../lib/ui/Popover";
import { Term } from "../../lib/ui/Term";
import { answersAt, gradedOf, gradedShare, isFar, sideOf } from "./answers";
import { cueNames } from "./Header";
import type { Store, View } from "./store";

interface Props {
  store: Store;
  view: View;
}

/** The raw responses: every row's switch point, and one row in full. */
export function Dock({ store, view }: Props) {
  const { picture } = view.answer;
  const { alpha } = view.inputs;
  const [cue1, cue2] = cueNames(view);
  const switches = picture?.rows.switch ?? [];
  const graded = gradedOf(picture);
  const answers = answersAt(switches, picture?.row_noise ?? 0, alpha, graded);
  const pooled = (picture?.pairs.length ?? 0) > 1;
  const one = (picture?.unit || "replicates").replace(/s$/, "");
  const note = [
    ` of each ${one}`,
    pooled ? " and cue pair" : "",
    graded ? "" : ", in training order",
    picture ? `. At α = ${percent(alpha)}:` : "",
  ].join("");
  return (
    <section class="dock" aria-label="Raw responses">
      <div class="dock-head wrap-row ink2 t11">
        <h2>Raw responses</h2>
        <span class="dock-note" title={`switch point α*${note}`}>
          <Term name="switch point">switch point α*</Term>
          {note}
        </span>
        {picture && (
          <>
            <span class="dock-count bold g1">
              <Mark group={1} /> {count(answers.cue1)} {cue1}
            </span>
            <span class="dock-count bold g2">
              <Mark group={2} /> {count(answers.cue2)} {cue2}
            </span>
          </>
        )}
        <span class="dock-left-out push quiet">
          <Dropped view={view} />
          {`, ${picture?.outside ?? 0} ${graded ? "without one in" : "outside"} [0, 1]`}
        </span>
      </div>
      <Chips store={store} view={view} picture={picture} />
      <Readout view={view} />
    </section>
  );
}

function Dropped({ view }: { view: View }) {
  const { dropped } = view.answer;
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => setOpen(false), []);
  if (dropped.length === 0) return <span data-testid="dropped">0 dropped</span>;
  return (
    <span class="control dropped right-card">
      <button
        ref={opener}
        type="button"
        class="link"
        aria-expanded={open}
        data-testid="dropped"
        onClick={() => setOpen(!open)}
      >
        {dropped.length} dropped
      </button>
      {open && (
        <Popover label="Dropped" opener={opener} onClose={close}>
          <ul class="dropped-list bulleted">
            {dropped.map((d) => (
              <li key={`${d.role} ${d.term}`}>
                <b>{d.term}</b> <span class="quiet">{d.role}</span>: {d.reason}
                {d.suggestions.length > 0 && ` (nearest known: ${d.suggestions.join(", ")})`}
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </span>
  );
}

const CHIP_WIDTH = 56;
const CHIP_HEIGHT = 26;
const USUAL_ROWS = 32;
/** Lines of chips shown before the region scrolls. */
const LINES = 4;

/**
 * One Tab stop, arrows inside. Chips outside the scrolled window are not made, so thousands of rows
 * cost nothing.
 */
function Chips({ store, view, picture }: Props & { picture: Picture | null }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 918);
  const [current, setCurrent] = useState(0);
  const [scroll, setScroll] = useState(0);
  const focusNext = useRef(false);
  const switches = picture?.rows.switch ?? [];
  const n = switches.length;
  const alpha = view.inputs.alpha;
  const columns = columnsFor(width, n);
  // Room for a usual subject is kept while there is none.
  const lines = Math.ceil((n || USUAL_ROWS) / columns);
  const firstLine = Math.max(0, Math.floor(scroll / CHIP_HEIGHT) - 2);
  const lastLine = Math.min(lines, firstLine + LINES + 5);
  const focused = Math.min(current, Math.max(0, n - 1));
  const shown = useMemo(() => {
    const first = firstLine * columns;
    const last = Math.min(n, lastLine * columns);
    return Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  }, [firstLine, lastLine, columns, n]);

  useLayoutEffect(() => {
    if (!focusNext.current) return;
    focusNext.current = false;
    box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  });
  const go = (to: number) => {
    const area = box.current;
    if (area) {
      const top = Math.floor(to / columns) * CHIP_HEIGHT;
      if (top < area.scrollTop) area.scrollTop = top;
      const bottom = top + CHIP_HEIGHT;
      if (bottom > area.scrollTop + area.clientHeight) area.scrollTop = bottom - area.clientHeight;
      setScroll(area.scrollTop);
    }
    focusNext.current = true;
    setCurrent(to);
    store.hover(to);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Enter" || event.key === " ") store.pin(focused);
    else {
      const to = gridKey(event.key, focused, n, columns);
      if (to === null) return;
      go(to);
    }
    event.preventDefault();
  };
  const indexOf = (event: Event) => {
    const chip = (event.target as Element).closest<HTMLElement>("[data-index]");
    return chip ? Number(chip.dataset.index) : null;
  };
  return (
    <div
      ref={box}
      class={`raws ${lines > LINES ? "scrolls" : ""}`}
      role="listbox"
      {...whenEmpty(n)}
      aria-label="Switch points"
      tabIndex={-1}
      onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
      onKeyDown={key}
      onPointerOver={(event) => store.hover(indexOf(event))}
      onPointerLeave={() => store.hover(null)}
      onFocusIn={(event) => {
        const index = indexOf(event);
        if (index === null) return;
        setCurrent(index);
        store.hover(index);
      }}
      onFocusOut={() => store.hover(null)}
      onClick={(event) => {
        const index = indexOf(event);
        if (index !== null) store.pin(index);
      }}
    >
      <div class="raws-all" style={{ height: `${Math.max(2, lines) * CHIP_HEIGHT}px` }}>
        <div
          class="raws-shown"
          style={{
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            transform: `translateY(${firstLine * CHIP_HEIGHT}px)`,
          }}
        >
          {shown.map((i) => (
            <Chip
              key={i}
              index={i}
              total={n}
              label={isFar(switches[i]!) ? "none" : short(switches[i]!)}
              name={rowName(picture!, i)}
              side={side(picture!, i, alpha)}
              look={`${view.pinned === i ? "pinned" : ""} ${view.hovered === i ? "hovered" : ""}`}
              tabbable={i === focused}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** As many columns as fit; for few rows a divisor, so that lines are full. */
export function columnsFor(width: number, n: number): number {
  const most = Math.max(1, Math.floor((width + 6) / (CHIP_WIDTH + 1.4)));
  if (n <= most) return most;
  const half = [16, 8, 4].find((c) => c <= most && n % c === 0 && c > most / 2);
  return half ?? most;
}

interface ChipProps {
  index: number;
  total: number;
  label: string;
  name: string;
  side: 1 | 2;
  look: string;
  tabbable: boolean;
}

const Chip = memo(function Chip({ index, total, label, name, side, look, tabbable }: ChipProps) {
  return (
    <div
      class={`raw ${look}`}
      role="option"
      aria-selected={look.includes("pinned")}
      aria-label={label === "none" ? `${name}, no switch point` : `${name}, switches at ${label}`}
      aria-posinset={index + 1}
      aria-setsize={total}
      tabIndex={tabbable ? 0 : -1}
      data-index={index}
      data-side={side}
      data-testid="raw-chip"
    >
      <Mark group={side} />
      {label}
    </div>
  );
});

/** Which cue a row answers, the more likely one when it is noisy or graded. */
function side(picture: Picture, row: number, alpha: number): 1 | 2 {
  const graded = gradedOf(picture);
  if (graded) return gradedShare(graded, row, alpha) >= 0.5 ? 2 : 1;
  return sideOf(picture.rows.switch[row]!, alpha);
}

/** "Replicate 17", with its cue pair when several are pooled. */
export function rowName(picture: Picture, row: number): string {
  const { rows, pairs } = picture;
  const unit = (picture.unit || "replicates").replace(/s$/, "");
  const replicate = `${unit.slice(0, 1).toUpperCase()}${unit.slice(1)} ${rows.replicate[row] ?? row + 1}`;
  const pair = pairs.length > 1 ? pairs[rows.pair[row] ?? 0] : undefined;
  return pair ? `${replicate}, ${pair[0]}–${pair[1]}` : replicate;
}

const KEYS: [string[], string][] = [
  [["←", "→"], "0.01"],
  [["Shift ←", "→"], "0.10"],
  [["Home", "End"], "the ends"],
  [["N"], "50/50"],
  [["P"], "the PSE"],
  [["↑", "↓"], "next word"],
  [["Esc"], "undo"],
];

/** The held or hovered row in full, in a line that is always there. */
function Readout({ view }: { view: View }) {
  const row = view.hovered ?? view.pinned;
  const { picture } = view.answer;
  if (row === null && view.handleFocused) {
    return (
      <p class="readout wrap-row quiet does" data-testid="readout">
        {KEYS.map(([keys, does]) => (
          <span key={does}>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}{" "}
            {does}
          </span>
        ))}
      </p>
    );
  }
  if (!picture || row === null || picture.rows.switch[row] === undefined) {
    return (
      <p class="readout wrap-row quiet" data-testid="readout">
        {picture
          ? `Hover a row to read it, click to hold it. ${many(picture.rows.switch.length, "row")}.`
          : "Each row’s answer will stand here."}
      </p>
    );
  }
  const { rows } = picture;
  const [cue1, cue2] = picture.pairs[rows.pair[row] ?? 0] ?? [picture.cue_1, picture.cue_2];
  const answered = side(picture, row, view.inputs.alpha);
  const graded = gradedOf(picture);
  const frame = picture.names[(rows.replicate[row] ?? 0) - 1];
  const cosine = (a: string, b: string, value: number | undefined) =>
    value === undefined || !Number.isFinite(value) ? null : (
      <span class="ink2">
        cos({a}, {b}) <b>{fixed(value, 3)}</b>
      </span>
    );
  return (
    <p class="readout wrap-row" data-testid="readout">
      <b>{rowName(picture, row)}</b>
      <b class={answered === 1 ? "g1" : "g2"}>answers {answered === 1 ? cue1 : cue2}</b>
      {graded && (
        <span class="ink2">
          P({cue2}) <b>{fixed(gradedShare(graded, row, view.inputs.alpha), 3)}</b>
        </span>
      )}
      {cosine(picture.word, cue1, rows.sim_1[row])}
      {cosine(picture.word, cue2, rows.sim_2[row])}
      {cosine(cue1, cue2, rows.sim_cues[row])}
      <span class="ink2">
        α* <b>{isFar(rows.switch[row]!) ? "none" : percent(rows.switch[row]!, 1)}</b>
      </span>
      {frame && (
        <span class="ink2 frame ellipsis" title={frame} data-testid="frame">
          {frame}
        </span>
      )}
      <span class="quiet where push">
        {row === view.pinned ? "held; Esc releases" : "outlined in the picture"}
      </span>
    </p>
  );
}
