import type { ComponentChildren } from "preact";
import { type Run, runText, type TestedActions, type TestedView, testText } from "./tested";

interface Props {
  store: TestedActions;
  view: TestedView;
  run: Run;
  /** How many have no score yet. */
  left: number;
  /** Models whose test is done, and what they were tested on. */
  done: number;
  same: string;
  disabled: boolean;
  /** At the end of the line. */
  children?: ComponentChildren;
}

/** Starts the test and stops it, and says how far it is. */
export function RunLine({ store, view, run, left, done, same, disabled, children }: Props) {
  const wanted = run.number === 0 || run.stale || left > 0;
  return (
    <div class="run-line wrap-row">
      <button
        type="button"
        class={`button ${wanted && !run.running ? "primary" : ""}`}
        data-testid="test"
        aria-busy={view.asked !== null}
        disabled={disabled}
        onClick={() => void store.toggle()}
      >
        {testText(view, run, left)}
      </button>
      {run.running && <Progress {...run} label="Test" testid="test-progress" />}
      <span class="run-text ink2 t12" data-testid="run-status">
        {runText(run, { done, same, left })}
      </span>
      {children}
    </div>
  );
}

interface ProgressProps {
  done: number;
  total: number;
  label: string;
  testid?: string;
}

/** A bar of what is done. */
export function Progress({ done, total, label, testid }: ProgressProps) {
  const percent = total > 0 ? Math.round((100 * Math.min(done, total)) / total) : 0;
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      data-testid={testid}
    >
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}
