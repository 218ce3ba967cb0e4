import { useEffect, useRef, useState } from "preact/hooks";
import { runOf, type View } from "./store";
import { askText, endText, shareOf, whole } from "./texts";

/** Tells a screen reader when a run begins, each quarter of it, and its end; nothing in between. */
export function RunAnnouncer({ view }: { view: View }) {
  const run = runOf(view);
  const quarter = run.running ? Math.floor(4 * shareOf(run)) : 4;
  const before = useRef({ number: run.number, running: run.running, quarter });
  const [said, setSaid] = useState("");
  useEffect(() => {
    const was = before.current;
    before.current = { number: run.number, running: run.running, quarter };
    if (run.running && (!was.running || was.number !== run.number))
      setSaid(`Run ${run.number} has begun: ${askText(view)}`);
    else if (run.running && quarter > was.quarter && quarter < 4)
      setSaid(`${25 * quarter} % of the draws.`);
    else if (was.running && !run.running)
      setSaid(`The run has ended, ${endText(view)}: ${whole(run.draws * run.chains)} draws.`);
  }, [run.number, run.running, quarter]);
  return (
    <div class="visually-hidden" role="status" aria-live="polite" data-testid="run-live">
      {said}
    </div>
  );
}
