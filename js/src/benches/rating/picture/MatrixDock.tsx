import type { MatrixRow } from "../../../generated/rating";
import { chosenLanguage, runOf, type Store, type View } from "../store";
import { cellText } from "../texts";
import { drawnOrder, tonesOf } from "../tones";
import { blockName, rowsOf } from "./rows";

interface Props {
  store: Store;
  view: View;
  values: readonly string[];
}

/** Below the matrix: what the colours are, a cell in words, and what went wrong. */
export function MatrixDock({ store, view, values }: Props) {
  const tones = tonesOf(values);
  const { answered } = rowsOf(view);
  return (
    <>
      <p class="matrix-legend wrap-row ink2 t11">
        {drawnOrder(values).map((i) => (
          <span key={i}>
            <i class={`key-square tone-${tones[i]}`} /> {values[i]?.toLowerCase()}
          </span>
        ))}
        {answered.some((row) => row.unresolved > 0) && (
          <span>
            <i class="key-square tone-unread" /> could not be read
          </span>
        )}
        <span class="cell-said" data-testid="cell-dock">
          {cellSaid(view, values)}
        </span>
      </p>
      <Failures store={store} view={view} rows={answered} />
    </>
  );
}

/** In words the cell under the pointer, or the chosen one. */
function cellSaid(view: View, values: readonly string[]): string {
  const spot = view.hovered ?? { language: chosenLanguage(view), block: view.inputs.block };
  const row = rowsOf(view).all.find((one) => one.language === spot.language);
  const [cell, block] = [row?.cells[spot.block], view.inputs.distributions[spot.block]];
  if (!row || !cell || !block || cell.mentions === 0) return "";
  return `${row.title || "directly"}, ${blockName(block)}: ${cellText(cell, values)}`;
}

interface FailuresProps {
  store: Store;
  view: View;
  rows: readonly MatrixRow[];
}

function Failures({ store, view, rows }: FailuresProps) {
  const run = runOf(view);
  const failed = rows.filter((row) => row.state === "failed");
  return (
    <div class="row-messages">
      {failed.map(
        ({ language, title, message }) =>
          message && (
            <p key={language} class="problem-line" role="alert" data-testid="row-message">
              <b>{title || "Asked directly"}</b> {message}
            </p>
          ),
      )}
      {(failed.length > 0 || (rows.length > 0 && run.failed > 0)) && !run.running && (
        <button
          type="button"
          class="link"
          data-testid="retry"
          onClick={() => void store.command("retry")}
        >
          Ask again for what failed
        </button>
      )}
    </div>
  );
}
