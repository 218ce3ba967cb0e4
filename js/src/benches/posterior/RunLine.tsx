import type { ComponentChildren } from "preact";
import { Progress } from "../../lib/bench/RunLine";
import { runOf, type Store, type View } from "./store";
import { endText, progressText, shareOf } from "./texts";

/** Whether to trust the draws, in words; nothing before the first run. */
export function trustText(view: View): string {
  const { state, text } = view.answer.picture?.trust ?? { state: "none", text: "" };
  return text || TRUST[state];
}

/** Whether to trust the draws, before the first word of the verdict. */
export function Badge({ view }: { view: View }) {
  const { state } = view.answer.picture?.trust ?? { state: "none" };
  if (state === "none") return null;
  return (
    <span class={`badge ${state}`} data-testid="trust" data-trust={state}>
      {state === "yes" && <Sign d="M2.5 6.5 5 9l4.5-6" />}
      {state === "not-yet" && <Sign d="M6 2v5M6 9.2v.3" />}
      {trustText(view)}
    </span>
  );
}

const TRUST = {
  none: "",
  running: "Drawing",
  yes: "Trust these draws",
  "not-yet": "Do not trust yet",
} as const;

const Sign = ({ d }: { d: string }) => (
  <svg class="sign" viewBox="0 0 12 12" aria-hidden="true">
    <path d={d} />
  </svg>
);

/** What the sampler tells of itself, and how far it is. */
export function RunLine({ store, view }: { store: Store; view: View }) {
  const { picture, message } = view.answer;
  const run = runOf(view);
  const facts = [...(picture?.facts ?? [])];
  if (picture?.oracle && !facts.includes(picture.oracle)) facts.push(picture.oracle);
  return (
    <>
      <div class="run-line wrap-row">
        <p class="facts wrap-row ink2 t12" data-testid="facts">
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </p>
        <Status view={view} />
      </div>
      {message && !run.running && (
        <Again store={store} name="failure" role="alert">
          {message.title}. {message.text}
        </Again>
      )}
      {run.stale && !run.running && (
        <Again store={store} name="stale" role="status">
          Settings have changed since this run: what is shown is the run’s, not theirs.
        </Again>
      )}
    </>
  );
}

interface AgainProps {
  store: Store;
  name: string;
  role: "alert" | "status";
  children: ComponentChildren;
}

/** Why another run may be wanted, and the button for it. */
const Again = ({ store, name, role, children }: AgainProps) => (
  <p class="warning" role={role} data-testid={name}>
    {children}{" "}
    <button type="button" class="link" onClick={() => void store.toggle()}>
      Run again
    </button>
  </p>
);

function Status({ view }: { view: View }) {
  const run = runOf(view);
  if (run.number === 0 && !run.running) return null;
  const draws = view.inputs.draws;
  const share = run.running ? shareOf(run) : run.partial ? Math.min(1, run.draws / draws) : 1;
  const percent = Math.round(100 * share);
  return (
    <div class="status in-line push">
      <Progress
        done={share}
        total={1}
        label="Draws"
        testid="run-progress"
        look={run.partial && !run.running ? "partial" : ""}
        text={run.running ? `${percent} %, ${progressText(run)}` : endText(view)}
      />
      <span class="status-text ink2 t11 nowrap" data-testid="run-status">
        {run.running ? (
          <>
            <b>{percent} %</b> {progressText(run)}
          </>
        ) : (
          <b>{endText(view)}</b>
        )}
      </span>
    </div>
  );
}
