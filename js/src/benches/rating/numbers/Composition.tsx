import { useState } from "preact/hooks";
import type { CompositionCell } from "../../../generated/rating";
import { gridKey } from "../../../lib/keys";
import { memo } from "../../../lib/memo";
import { Segmented } from "../../../lib/ui/Controls";
import { useUid } from "../../../lib/uid";
import type { Store, View } from "../store";
import { BIAS_RATINGS } from "../texts";

interface Props {
  store: Store;
  view: View;
}

const RULES = [
  { value: "paper", label: "paper’s table" },
  { value: "definition", label: "definitions" },
] as const;

/** The rating of two services in a row, by both rules; and composites that were run. */
export function Composition({ store, view }: Props) {
  const { composition } = view.inputs;
  return (
    <section class="side-part" aria-label="Two services in a row">
      <div class="side-head wrap-row">
        <h2>Two services in a row</h2>
        <div class="mini">
          <Segmented {...store.input("composition")} label="Rule of the table" options={RULES} />
        </div>
      </div>
      <Table store={store} pair={view.pair} table={view.table} rule={composition} />
      <Ran view={view} />
    </section>
  );
}

const CELLS = BIAS_RATINGS.length ** 2;

interface TableProps extends Pick<View, "pair" | "table"> {
  store: Store;
  rule: View["inputs"]["composition"];
}

const Table = memo(({ store, pair, table, rule }: TableProps) => {
  const id = useUid();
  const [focused, setFocused] = useState(false);
  const cellOf = (first: string, second: string) =>
    table.find((cell) => cell.first === first && cell.second === second);
  const at = pair ? 3 * indexOf(pair[0]) + indexOf(pair[1]) : -1;
  const now = pair ? cellOf(...pair) : undefined;
  const choose = (index: number) =>
    store.pair([BIAS_RATINGS[Math.floor(index / 3)]!, BIAS_RATINGS[index % 3]!]);
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape" && pair) {
      event.stopPropagation();
      return store.pair(null);
    }
    const to =
      at < 0 && /^Arrow/.test(event.key) ? 0 : gridKey(event.key, Math.max(at, 0), CELLS, 3);
    if (to === null) return;
    event.preventDefault();
    choose(to);
  };
  return (
    <>
      <table
        class={`composition ${focused ? "focused" : ""}`}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: cells of a grid are chosen
        role="grid"
        tabIndex={0}
        aria-label="Rating of two services in a row: rows are the first, columns the second"
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        data-testid="composition-table"
        onKeyDown={key}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
      >
        <thead>
          <tr>
            <th scope="col" class="corner">
              first ↓ second →
            </th>
            {BIAS_RATINGS.map((second) => (
              <th key={second} scope="col">
                {second}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {BIAS_RATINGS.map((first, r) => (
            <tr key={first}>
              <th scope="row">{first}</th>
              {BIAS_RATINGS.map((second, c) => (
                <Predicted
                  key={second}
                  id={`${id}-${3 * r + c}`}
                  cell={cellOf(first, second)}
                  rule={rule}
                  now={at === 3 * r + c}
                  onChoose={() => (at === 3 * r + c ? store.pair(null) : choose(3 * r + c))}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet side-note" data-testid="composition-reason">
        {now ? (
          <>
            <b>
              {now.first} then {now.second}: {now[rule] ?? "test anew"}
            </b>
            , {now.reason}.
          </>
        ) : (
          <>
            <b class="warn-text">*</b> where the paper’s table and its definitions differ.{" "}
            <b class="warn-text">test</b> must be tested anew.
          </>
        )}
      </p>
    </>
  );
});

const indexOf = (rating: string) => BIAS_RATINGS.indexOf(rating as (typeof BIAS_RATINGS)[number]);

interface PredictedProps {
  id: string;
  cell: CompositionCell | undefined;
  rule: "paper" | "definition";
  now: boolean;
  onChoose: () => void;
}

function Predicted({ id, cell, rule, now, onChoose }: PredictedProps) {
  const rating = cell?.[rule] ?? null;
  const marked = cell !== undefined && (rating === null || cell.differs);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    <td
      id={id}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: cells of a grid are chosen
      role="gridcell"
      tabIndex={-1}
      class={`${marked ? "marked" : ""} ${now ? "now" : ""}`}
      aria-selected={now}
      data-testid="composed-rating"
      data-first={cell?.first}
      data-second={cell?.second}
      data-rating={rating ?? ""}
      onClick={onChoose}
    >
      {cell ? (rating ?? "test") : ""}
      {cell?.differs && "*"}
    </td>
  );
}

/** Composites that were run, each beside its prediction. */
function Ran({ view }: { view: View }) {
  if (view.composed.length === 0) return null;
  return (
    <ul class="composed" data-testid="composed">
      {view.composed.map((one) => (
        <li
          key={`${one.first} ${one.second} ${one.language}`}
          data-testid="composed-line"
          data-agrees={one.agrees ?? ""}
        >
          <b>
            {one.first} → {one.second}
          </b>
          {one.language && `, ${one.language}`}: predicted {one.predicted ?? "nothing"}, measured{" "}
          <b class={one.agrees === false ? "warn-text" : ""}>{one.measured}</b>
          {one.agrees === false && ": not as predicted"}
        </li>
      ))}
    </ul>
  );
}
