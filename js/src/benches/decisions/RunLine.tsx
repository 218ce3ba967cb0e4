import { Progress } from "../../lib/bench/RunLine";
import { about, whole } from "../../lib/format";
import { runOf, type Store, type View } from "./store";
import { costText, planText, widthText } from "./texts";

/** What a run will ask, how far it is, and the button that starts and stops it. */
export function RunLine({ store, view }: { store: Store; view: View }) {
  const run = runOf(view);
  const none = view.answer.picture === null;
  const ready = view.card.name !== "" && view.case_problem === "";
  return (
    <div class="run-line in-line t12">
      <p class="run-text wrap-row" data-testid="run-status" role="status">
        {run.running ? <Asking view={view} /> : none ? planText(view) : <Ended view={view} />}
      </p>
      <span class="rigid quiet" data-testid="run-cost">
        {none ? "" : costText(view)}
      </span>
      <span class="run-buttons in-line rigid">
        {!run.running && offersMore(view) && (
          <button
            type="button"
            class="button ask-more"
            data-testid="ask-more"
            disabled={!ready}
            onClick={() => void store.toggle({ more: run.left ?? 0 })}
          >
            Ask about {whole(run.left ?? 0)} more
          </button>
        )}
        {none && !run.running && view.plan.quick > 0 && (
          <button
            type="button"
            class="button"
            data-testid="quick-look"
            disabled={!ready || view.asked !== null}
            onClick={() => void store.toggle({ quick: view.plan.quick })}
          >
            A quick look: {whole(view.plan.quick)} questions{time(view.plan.quick_time)}
          </button>
        )}
        <button
          type="button"
          class={`button ${run.running || (!none && !run.stopped && !run.stale) ? "" : "primary"}`}
          data-testid="run"
          aria-busy={view.asked !== null}
          disabled={!ready || (run.running && view.asked === "stop")}
          onClick={() => void store.toggle(run.no_gap ? { anyway: true } : undefined)}
        >
          {buttonText(view)}
        </button>
      </span>
    </div>
  );
}

const time = (text: string) => (text === "" ? "" : `, ${text}`);

function Asking({ view }: { view: View }) {
  const run = runOf(view);
  return (
    <>
      <span class={run.waits_for ? "" : "live-dot"} aria-hidden="true" />
      <span>
        Asking: <b>{whole(run.done)}</b> of {run.adaptive ? "at most " : ""}
        {whole(run.total)} questions
      </span>
      <Progress done={run.done} total={run.total} label="Questions" testid="run-progress" />
      {run.waits_for ? (
        <span class="warn-text" data-testid="run-waits">
          {run.waits_for}
        </span>
      ) : (
        <span class="quiet">{widthText(view)}</span>
      )}
    </>
  );
}

function Ended({ view }: { view: View }) {
  const run = runOf(view);
  if (run.problem)
    return (
      <span class="warn-text" data-testid="run-problem">
        {run.problem} All {whole(run.done)} answers so far are kept.
      </span>
    );
  if (run.no_gap)
    return (
      <span data-testid="run-no-gap">
        Stopped after {whole(run.done)} of {whole(run.total)} questions: no gap is to be expected of
        such answers.
      </span>
    );
  const kept = run.stopped
    ? `Stopped: ${whole(run.done)} of ${whole(run.total)} questions answered and kept`
    : `${whole(run.done)} questions answered`;
  const width = widthText(view);
  return (
    <>
      <span>{kept}</span>
      {width && <span class="quiet">{width}</span>}
      {run.stale && (
        <span class="warn-text" data-testid="stale">
          Settings have changed since: the picture is the run’s, not theirs.
        </span>
      )}
    </>
  );
}

function buttonText(view: View): string {
  const run = runOf(view);
  if (run.running) return view.asked === "stop" ? "Stopping…" : `Stop, keep ${whole(run.done)}`;
  if (view.asked === "run") return "Starting…";
  if (view.answer.picture === null) return "Start";
  if (run.no_gap) return "Go on anyway";
  if (run.stopped && !run.stale) {
    const left = run.seconds_left === null ? "" : `, ${about(run.seconds_left)}`;
    return `Go on${left}`;
  }
  const all = view.plan.questions;
  if (!run.adaptive && !run.stale && run.done < all)
    return `Ask all ${whole(all)}${time(view.plan.time)}`;
  return "Run again";
}

/** More calls help where the verdict is open and the run was not cut short. */
function offersMore(view: View): boolean {
  const { picture } = view.answer;
  const run = runOf(view);
  return picture?.decision === "undecided" && run.left !== null && !run.stopped && !run.stale;
}
