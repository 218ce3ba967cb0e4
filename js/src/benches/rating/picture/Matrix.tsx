import { useRef } from "preact/hooks";
import type { Cell, MatrixRow } from "../../../generated/rating";
import { useUid } from "../../../lib/uid";
import { chosenLanguage, type RatingName, type Spot, type Store, type View } from "../store";
import { cellText, MEANINGS, many, sharesText, stateText } from "../texts";
import { MatrixDock } from "./MatrixDock";
import { blockName, rowsOf } from "./rows";
import { Stack, Track } from "./Stack";

interface Props {
  store: Store;
  view: View;
  values: readonly string[];
}

/** Languages and blocks: what came back of each, and both ratings. One Tab stop, arrows inside. */
export function Matrix({ store, view, values }: Props) {
  const id = useUid();
  const table = useRef<HTMLTableElement>(null);
  const rows = rowsOf(view);
  const chosen = chosenLanguage(view);
  const at = rows.all.findIndex((row) => row.language === chosen);
  const blocks = view.inputs.distributions;
  const block = Math.min(view.inputs.block, Math.max(0, blocks.length - 1));
  const choose = (spot: Spot) => store.set(spot);
  const key = (event: KeyboardEvent) => {
    const last = rows.all.length - 1;
    const from = Math.max(at, 0);
    const [row, column] = (
      {
        ArrowDown: [at < 0 ? 0 : Math.min(from + 1, last), block],
        ArrowUp: [Math.max(from - 1, 0), block],
        ArrowRight: [from, Math.min(block + 1, blocks.length - 1)],
        ArrowLeft: [from, Math.max(block - 1, 0)],
        Home: [0, block],
        End: [last, block],
      } as Record<string, [number, number]>
    )[event.key] ?? [-1, -1];
    const to = rows.all[row];
    if (!to || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose({ language: to.language, block: column });
    table.current
      ?.querySelector(`#${id}-${row}-${column}`)
      ?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  };
  return (
    <section class="matrix-part" aria-label="Languages and blocks">
      <div class="matrix-scroll">
        <table
          ref={table}
          class="matrix"
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: cells of a grid are chosen
          role="grid"
          tabIndex={0}
          aria-label="What came back, by language and block; arrow keys choose"
          aria-activedescendant={at >= 0 ? `${id}-${at}-${block}` : undefined}
          data-testid="matrix"
          onKeyDown={key}
          style={{ "--blocks": Math.max(1, blocks.length) }}
        >
          <Head view={view} />
          <tbody>
            <InputRow view={view} values={values} />
            {rows.all.map((row, i) => (
              <Line
                key={row.language}
                id={`${id}-${i}`}
                row={row}
                view={view}
                values={values}
                now={i === at}
                block={block}
                onChoose={(b) => choose({ language: row.language, block: b ?? block })}
                onHover={(b) =>
                  store.hover(b === null ? null : { language: row.language, block: b })
                }
              />
            ))}
          </tbody>
          <Overall view={view} />
        </table>
      </div>
      <MatrixDock store={store} view={view} values={values} />
    </section>
  );
}

function Head({ view }: { view: View }) {
  const { picture } = view.answer;
  const changed = (b: number) => picture?.rows.some((row) => row.cells[b]?.predicted) ?? false;
  return (
    <thead>
      <tr>
        <th scope="col" class="name">
          language
        </th>
        {view.inputs.distributions.map((one, b) => (
          <th key={b} scope="col" class="cell" data-testid="block-name" data-block={b}>
            {blockName(one).replaceAll("/", " / ")}
            <small class={changed(b) ? "warn-text" : ""} title={one.kind}>
              {changed(b) ? "predicted" : one.kind}
            </small>
          </th>
        ))}
        <th scope="col" class="rating">
          paper
        </th>
        <th scope="col" class="rating">
          corrected
        </th>
      </tr>
    </thead>
  );
}

function InputRow({ view, values }: { view: View; values: readonly string[] }) {
  return (
    <tr class="input-row" data-testid="input-row">
      <th scope="row" class="name">
        input
      </th>
      {view.inputs.distributions.map((one, b) => (
        <td
          key={b}
          class="cell"
          title={sharesText(one.shares, values)}
          data-testid="input-cell"
          data-shares={one.shares.join(",")}
        >
          <span class="visually-hidden">{sharesText(one.shares, values)}</span>
          <Stack counts={one.shares} values={values} />
        </td>
      ))}
      <td class="rating" />
      <td class="rating" />
    </tr>
  );
}

interface LineProps {
  id: string;
  row: MatrixRow;
  view: View;
  values: readonly string[];
  now: boolean;
  block: number;
  onChoose: (block: number | null) => void;
  onHover: (block: number | null) => void;
}

function Line({ id, row, view, values, now, block, onChoose, onHover }: LineProps) {
  const { language, title, paper, corrected, state } = row;
  const rated = corrected !== null;
  return (
    <tr
      class={now ? "now" : ""}
      aria-selected={now}
      data-testid="row"
      data-language={language}
      data-state={state}
      data-paper={paper ?? ""}
      data-corrected={corrected ?? ""}
      onClick={() => onChoose(null)}
      onPointerLeave={() => onHover(null)}
    >
      <th scope="row" class="name">
        {title || "directly"} {language && title !== language && <small>{language}</small>}
      </th>
      {view.inputs.distributions.map((_, b) => (
        <BlockCell
          key={b}
          id={`${id}-${b}`}
          cell={row.cells[b]}
          state={state}
          values={values}
          now={now && b === block}
          block={b}
          onChoose={() => onChoose(b)}
          onHover={() => onHover(b)}
        />
      ))}
      <td class="rating" data-testid="paper">
        {paper}
      </td>
      <td
        class={`rating ${rated ? "strong" : "quiet"} ${corrected === "not rateable" ? "warn-text" : ""}`}
        data-testid="corrected"
        data-shown={rated ? String(row.shown) : undefined}
        title={rated ? MEANINGS[corrected] : row.message || undefined}
      >
        {corrected ?? stateText(row)}
      </td>
    </tr>
  );
}

interface BlockCellProps {
  id: string;
  cell: Cell | undefined;
  state: MatrixRow["state"];
  values: readonly string[];
  now: boolean;
  block: number;
  onChoose: () => void;
  onHover: () => void;
}

function BlockCell(props: BlockCellProps) {
  const { id, cell, state, values, now, block } = props;
  const known = cell !== undefined && cell.mentions > 0;
  const going =
    (state === "running" || state === "queued") && (cell?.done ?? 0) < (cell?.total ?? 1);
  const filled = known && !going;
  const said = filled
    ? cellText(cell, values)
    : cell && cell.total > 0
      ? `${cell.done} of ${many(cell.total, "text")} answered`
      : "not run yet";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    <td
      id={id}
      class={`cell ${now ? "cell-now" : ""} ${cell?.predicted ? "predicted" : ""}`}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: cells of a grid are chosen
      role="gridcell"
      tabIndex={-1}
      aria-label={said}
      aria-selected={now}
      data-testid="cell"
      data-block={block}
      data-counts={filled ? cell.counts.join(",") : ""}
      data-unresolved={filled ? cell.unresolved : ""}
      data-mentions={filled ? cell.mentions : ""}
      data-done={cell?.done ?? 0}
      data-total={cell?.total ?? 0}
      data-predicted={cell?.predicted ? "" : undefined}
      onClick={(event) => {
        event.stopPropagation();
        props.onChoose();
      }}
      onPointerEnter={props.onHover}
    >
      {filled ? (
        <Stack counts={cell.counts} unresolved={cell.unresolved} values={values} />
      ) : (
        <Track done={cell?.done ?? 0} total={cell?.total ?? 0} />
      )}
    </td>
  );
}

/** All languages as one, and without those that are left out. */
function Overall({ view }: { view: View }) {
  const { picture } = view.answer;
  const rows = rowsOf(view);
  if (rows.all.length < 2) return null;
  const how = view.inputs.overall === "worst" ? "worst case" : "vote";
  const { without } = view.inputs;
  const titles = without.map(
    (code) => rows.all.find((row) => row.language === code)?.title ?? code,
  );
  const lines: [string, string, readonly (RatingName | null)[]][] = [
    [`all, ${how}`, "overall", picture?.overall ?? []],
  ];
  if (without.length > 0)
    lines.push([`without ${titles.join(", ")}`, "overall-without", picture?.overall_without ?? []]);
  return (
    <tfoot>
      {lines.map(([title, testid, [paper, corrected]]) => (
        <tr key={testid} data-testid={testid} data-paper={paper} data-corrected={corrected}>
          <th scope="row" class="name" colSpan={1 + view.inputs.distributions.length}>
            {title}
          </th>
          <td class="rating">{paper ?? "–"}</td>
          <td class={`rating strong ${corrected === "not rateable" ? "warn-text" : ""}`}>
            {corrected ?? "–"}
          </td>
        </tr>
      ))}
    </tfoot>
  );
}
