import { useState } from "preact/hooks";
import type { ShownPassage } from "../../generated/psychometric";
import { Spans } from "../../lib/bench/Verdict";
import { points, whole } from "../../lib/format";
import { Mark } from "../../lib/ui/Icons";
import { Found, Panel, TakeAlong, Working } from "./Panel";
import type { Store, View } from "./store";

interface Props {
  store: Store;
  view: View;
}

/** Which passages of the corpus make the bias: folded, and searched for when it is opened. */
export function Passages({ store, view }: Props) {
  const [open, setOpen] = useState(false);
  const { inputs, subjects, traced } = view;
  const subject = subjects.find(({ name }) => name === inputs.subject);
  if (subject?.kind !== "ensemble" || !(traced.offered || traced.state !== "none")) return null;
  const toggle = () => {
    setOpen(!open);
    if (!open && traced.possible && traced.state === "none") void store.ask("trace");
  };
  return (
    <Panel
      name="passages"
      label="Passages"
      question="Which passages make this bias?"
      state={traced.state}
      open={open}
      onToggle={toggle}
    >
      <Body store={store} view={view} />
    </Panel>
  );
}

function Body({ store, view }: Props) {
  const { traced } = view;
  if (traced.state === "working") {
    return (
      <Working
        store={store}
        name="passages"
        job="trace"
        progress={traced.progress}
        message="Waiting"
        label="Search for passages"
      />
    );
  }
  const word = view.inputs.word.trim();
  const other = !traced.current && traced.possible;
  return (
    <>
      {traced.state === "error" && (
        <p class="problem-line" role="alert" data-testid="passages-problem">
          {traced.problem}
        </p>
      )}
      {traced.state === "ready" && <Result view={view} />}
      <p class="panel-do wrap-row">
        {(traced.state !== "ready" || other) && (
          <button
            type="button"
            class="button"
            data-testid="passages-find"
            disabled={!traced.possible}
            onClick={() => void store.ask("trace")}
          >
            {traced.state === "error" && !other ? "Try again" : `Find the passages of “${word}”`}
          </button>
        )}
        {traced.state === "ready" && (
          <>
            {traced.current && !traced.checked && (
              <button
                type="button"
                class="button"
                data-testid="passages-check"
                title="Makes the vectors anew without these passages; takes minutes"
                onClick={() => void store.ask("trace", { check: true })}
              >
                Check by leaving them out
              </button>
            )}
            <TakeAlong store={store} name="passages" job="trace" />
            {other && (
              <span class="quiet" data-testid="passages-other">
                These passages answer an earlier question, about “{traced.word}”.
              </span>
            )}
          </>
        )}
      </p>
    </>
  );
}

function Result({ view }: { view: View }) {
  const { traced } = view;
  return (
    <Found name="passages" found={traced} note="Excerpts are in lower case, without punctuation.">
      <div class="passages-sides">
        <Side group={1} cue={traced.cue_1} passages={traced.toward_1} most={strongest(view)} />
        <Side group={2} cue={traced.cue_2} passages={traced.toward_2} most={strongest(view)} />
      </div>
    </Found>
  );
}

const strongest = ({ traced }: View) =>
  Math.max(...[...traced.toward_1, ...traced.toward_2].map((one) => Math.abs(one.pull)), 1e-9);

interface SideProps {
  group: 1 | 2;
  cue: string;
  passages: readonly ShownPassage[];
  /** The largest pull of all passages shown. */
  most: number;
}

function Side({ group, cue, passages, most }: SideProps) {
  const title = `pull toward ${cue}`;
  return (
    <section aria-label={title}>
      <h2 class={`passages-head wrap-row t12 g${group}`}>
        <Mark group={group} /> {title}
        <span class="quiet">points of PSE, with its interval</span>
      </h2>
      {passages.length === 0 && <p class="quiet">No passage does.</p>}
      <ol class="passages-list" data-testid={`passages-${group}`}>
        {passages.map((one) => (
          <li key={one.line} data-line={one.line} data-pull={one.pull}>
            <b class={`passage-pull g${group}`}>{signed(one.pull)}</b>
            <span class="passage-bar" aria-hidden="true">
              <span
                class={`fill${group}`}
                style={{ width: `${(100 * Math.abs(one.pull)) / most}%` }}
              />
            </span>
            <span class="quiet">
              {signed(one.low)} to {signed(one.high)}, line {whole(one.line)}
            </span>
            <p>
              <Spans spans={one.text} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Points with a sign: two decimals below one point. */
function signed(pull: number): string {
  const text = points(pull, Math.abs(pull) >= 0.01 ? 1 : 2);
  return pull > 0 ? `+${text}` : text;
}
