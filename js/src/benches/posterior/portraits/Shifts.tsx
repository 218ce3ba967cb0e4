/** What changes from all portraits to those of a word: a row of intervals for each attribute. */
import { useRef, useState } from "preact/hooks";
import type { Portraits, ShiftGroup } from "../../../generated/posterior";
import { columnsFor, Forest, type Row } from "../../../lib/chart/Forest";
import { Grid, Neutral, Numbers } from "../../../lib/chart/ValueAxis";
import { useFont, useWidth } from "../../../lib/hooks";
import { axisTicks, linear } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import type { View } from "../store";
import { signed } from "../texts";
import { portraitsOf } from "./portraits";

const [HEAD, ROW, TITLE] = [34, 19, 26];
/** Attributes of a group before the rest is asked for. */
const FIRST = 16;

export function Shifts({ view }: { view: View }) {
  const portraits = portraitsOf(view);
  const [all, setAll] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 420);
  useFont(box);
  const more = portraits.shifts.reduce(
    (sum, { rows }) => sum + Math.max(0, rows.length - FIRST),
    0,
  );
  const [word, other] = portraits.words;
  return (
    <section class="panel" aria-label="What changes">
      <header class="wrap-row gallery-head">
        <h2>{word ? `What makes “${word}”` : "What makes the word"}</h2>
        {word && (
          <span class="push in-line quiet t11">
            ● {word}
            {other && ` ○ ${other}`} bar: 95 %
          </span>
        )}
      </header>
      <div ref={box}>
        <svg
          class="drawing"
          width={width}
          height={shiftsHeight(portraits, all)}
          role="img"
          aria-label={spoken(portraits.shifts)}
          data-testid="shifts"
        >
          <ShiftsBody portraits={portraits} width={width} all={all} />
        </svg>
      </div>
      {more > 0 && (
        <button
          type="button"
          class="link t12"
          data-testid="all-shifts"
          onClick={() => setAll(!all)}
        >
          {all ? "Fewer attributes" : `${more} more attributes`}
        </button>
      )}
    </section>
  );
}

const spoken = (groups: readonly ShiftGroup[]) =>
  groups
    .map(({ title, rows }) => {
      const most = rows.slice(0, 5).map((r) => `${r.name} ${tenths(r.marks[0]?.value ?? 0)}`);
      return `${title}: ${most.join(", ")}`;
    })
    .join("; ") || "Shifts of attributes; nothing is drawn yet";

/** No sign where a tenth is all that is shown, and there is none. */
const tenths = (value: number) => (Math.abs(value) < 0.05 ? "0.0" : signed(value, 1));

const shown = ({ rows }: ShiftGroup, all: boolean) => (all ? rows : rows.slice(0, FIRST));

/** Rows for which room is kept before there are any. */
const EXPECTED = 2 * FIRST;

export function shiftsHeight({ shifts }: Portraits, all: boolean): number {
  const rows = shifts.reduce((sum, group) => sum + shown(group, all).length, 0);
  return HEAD + TITLE * Math.max(2, shifts.length) + ROW * (rows || EXPECTED) + 40;
}

interface Props {
  portraits: Portraits;
  width: number;
  all: boolean;
}

export function ShiftsBody({ portraits, width, all }: Props) {
  const { shifts, words } = portraits;
  let y = HEAD;
  const titles: { y: number; group: ShiftGroup }[] = [];
  const rows: Row[] = [];
  for (const group of shifts) {
    titles.push({ y: y + 16, group });
    y += TITLE;
    for (const { name, marks } of shown(group, all)) {
      const texts = marks.map((mark) => tenths(mark.value));
      rows.push({
        name,
        y: y + ROW / 2,
        marks: marks.map((mark, k) => ({
          ...mark,
          dy: marks.length < 2 ? 0 : k === 0 ? -2.5 : 2.5,
          shape: k === 0 ? "circle" : "ring",
          size: 3.2,
          look: mark.low > 0 || mark.high < 0 ? "" : "side-0",
          texts: k === 0 ? texts : [],
          data: { testid: "shift", word: words[k], attribute: name, value: mark.value },
        })),
      });
      y += ROW;
    }
  }
  if (rows.length === 0) return null;
  const columns = columnsFor(width, rows, { least: 90, most: 150, heads: [...words] });
  const ends = shifts.flatMap(({ rows }) =>
    rows.flatMap(({ marks }) => marks.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)])),
  );
  const reach = 1.05 * Math.max(0.5, ...ends);
  const x = linear([-reach, reach], [columns.left, columns.right]);
  const ticks = axisTicks(x.domain, 0, x.range[1] - x.range[0], 70);
  return (
    <g>
      <Grid x={x} ticks={ticks} neutral={0} top={HEAD} bottom={y} />
      <Neutral x={x} at={0} label="as in all portraits" top={HEAD} bottom={y} width={width} />
      <Numbers
        x={x}
        ticks={ticks}
        neutral={0}
        y={y}
        title="shift of the mean, standard deviations of all portraits"
        text={(value) => (value === 0 ? "0" : signed(value, value % 1 ? 1 : 0))}
      />
      {titles.map(({ y, group }) => (
        <g key={group.title}>
          <text class="t12 bold halo" x={0} y={y}>
            {group.title}
          </text>
          {textWidth(group.title, 12, true) + textWidth(group.note, 11) + 16 < width && (
            <text class="t11 ink3 halo" x={width - 1} y={y} text-anchor="end">
              {group.note}
            </text>
          )}
        </g>
      ))}
      <Forest columns={columns} x={x} rows={rows} heads={[...words]} top={HEAD} />
    </g>
  );
}
