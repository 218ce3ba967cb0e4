import { about } from "../../../lib/format";
import type { Store, View } from "../store";

/** How far writing is, with a way to stop; what is written is kept. */
export function WritingLine({ store, view }: { store: Store; view: View }) {
  const { done, total, message, seconds_left } = view.writing;
  if (total === 0) return null;
  const percent = Math.round((100 * Math.min(done, total)) / total);
  return (
    <div class="writing" data-testid="writing">
      <span>
        {message || "Writing"}: {done} of {total}
        {seconds_left !== null && `, ${about(seconds_left)} left`}
      </span>
      <div
        class="progress"
        role="progressbar"
        aria-label="Writing"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <div style={{ width: `${percent}%` }} />
      </div>
      <button
        type="button"
        class="button"
        data-testid="stop-writing"
        onClick={() => void store.command("stop-writing")}
      >
        Stop, keep what is written
      </button>
    </div>
  );
}
