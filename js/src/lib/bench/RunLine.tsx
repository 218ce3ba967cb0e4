import type { ComponentChildren } from "preact";
import { runOf, runText, type TestedActions, type TestedView, testText } from "./tested";

interface Props {
  store: TestedActions;
  view: TestedView;
  /** Models whose test is done, and what they were tested on. */
  done: number;
  same: string;
  disabled: boolean;
  /** At the end of the line. */
  children?: ComponentChildren;
}

/** Starts the test and stops it, and says how far it is. */
export function RunLine({ store, view, done, same, disabled, children }: Props) {
  const run = runOf(view);
  const wanted = run.number === 0 || run.stale || run.untested > 0;
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
        {testText(view, run)}
      </button>
      {run.running && <Progress {...run} label="Test" testid="test-progress" />}
      <span class="run-text ink2 t12" data-testid="run-status">
        {runText(run, { done, same })}
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
  look?: string;
  /** How far it is, in words. */
  text?: string;
}

/** A bar of what is done. */
export function Progress({ done, total, label, testid, look = "", text }: ProgressProps) {
  const percent = total > 0 ? Math.round((100 * Math.min(done, total)) / total) : 0;
  return (
    <div
      class={`progress ${look}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={text}
      data-testid={testid}
    >
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}
