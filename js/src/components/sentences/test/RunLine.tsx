import { runOf, type Store, type View } from "../store";
import { runText, testText } from "../texts";
import { NumbersCard } from "./ModelNotes";

/** Starts the test and stops it, and says how far it is. */
export function RunLine({ store, view }: { store: Store; view: View }) {
  const run = runOf(view);
  const models = view.answer.picture?.models ?? [];
  const wanted = run.number === 0 || run.stale || run.unscored > 0;
  const percent = run.total > 0 ? Math.round((100 * Math.min(run.done, run.total)) / run.total) : 0;
  return (
    <div class="run-line">
      <button
        type="button"
        class={`button ${wanted && !run.running ? "primary" : ""}`}
        data-testid="test"
        aria-busy={view.asked !== null}
        disabled={view.inputs.models.length === 0 || view.sentences.pairs.length === 0}
        onClick={() => void store.toggle()}
      >
        {testText(view)}
      </button>
      {run.running && (
        <div
          class="progress"
          role="progressbar"
          aria-label="Test"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percent}
          data-testid="test-progress"
        >
          <div style={{ width: `${percent}%` }} />
        </div>
      )}
      <span class="run-text" data-testid="run-status">
        {runText(run, models)}
      </span>
      <NumbersCard view={view} />
    </div>
  );
}
