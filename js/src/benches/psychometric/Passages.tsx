import { useId, useState } from "preact/hooks";
import type { ShownPassage } from "../../generated/psychometric";
import { Progress } from "../../lib/bench/RunLine";
import { Spans } from "../../lib/bench/Verdict";
import { download } from "../../lib/export";
import { about, points } from "../../lib/format";
import { Mark } from "../../lib/ui/Icons";
import type { Store, View } from "./store";

interface Props {
  store: Store;
  view: View;
}

/** Which passages of the corpus make the bias: folded, and searched for when it is opened. */
export function Passages({ store, view }: Props) {
  const [open, setOpen] = useState(false);
  const body = useId();
  const { inputs, subjects, traced } = view;
  const subject = subjects.find(({ name }) => name === inputs.subject);
  if (subject?.kind !== "ensemble") return null;
  const toggle = () => {
    setOpen(!open);
    if (!open && traced.possible && traced.state === "none") void store.ask("trace");
  };
  return (
    <section class="passages" aria-label="Passages">
      <button
        type="button"
        class="link"
        aria-expanded={open}
        aria-controls={body}
        data-testid="passages-open"
        onClick={toggle}
      >
        Which passages make this bias?
      </button>
      <div id={body} hidden={!open} data-testid="passages" data-state={traced.state}>
        {open && <Found store={store} view={view} />}
      </div>
    </section>
  );
}

function Found({ store, view }: Props) {
  const { traced } = view;
  if (traced.state === "working") return <Working store={store} view={view} />;
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
      <p class="passages-do wrap-row">
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
            <button
              type="button"
              class="button"
              data-testid="passages-csv"
              onClick={() => void takeCsv(store)}
            >
              CSV
            </button>
            <button
              type="button"
              class="button"
              data-testid="passages-save"
              onClick={() => void store.command("save_trace")}
            >
              Save run
            </button>
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

function Working({ store, view }: Props) {
  const { done, total, message, seconds_left } = view.traced.progress;
  return (
    <div class="making" role="status" data-testid="passages-working">
      <span>
        {message || "Waiting"}
        {seconds_left !== null && `, ${about(seconds_left)} left`}
      </span>
      <Progress done={done} total={total} label="Search for passages" />
      <button
        type="button"
        class="button"
        data-testid="passages-stop"
        onClick={() => void store.ask("stop_trace")}
      >
        Stop
      </button>
    </div>
  );
}

function Result({ view }: { view: View }) {
  const { traced } = view;
  return (
    <div class={traced.current ? "" : "earlier"}>
      <p class="passages-verdict" data-testid="passages-verdict">
        <Spans spans={traced.verdict} />
      </p>
      <p class="caveat" data-testid="passages-caveat">
        {traced.caveat} Excerpts are in lower case, without punctuation.
      </p>
      <div class="passages-sides">
        <Side group={1} cue={traced.cue_1} passages={traced.toward_1} most={strongest(view)} />
        <Side group={2} cue={traced.cue_2} passages={traced.toward_2} most={strongest(view)} />
      </div>
    </div>
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
      <h2 class={`passages-head g${group}`}>
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
              {signed(one.low)} to {signed(one.high)}, line {grouped(one.line)}
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

const grouped = (n: number) => n.toLocaleString("en");

/** Points with a sign: two decimals below one point. */
function signed(pull: number): string {
  const text = points(pull, Math.abs(pull) >= 0.01 ? 1 : 2);
  return pull > 0 ? `+${text}` : text;
}

async function takeCsv(store: Store): Promise<void> {
  const reply = await store.command("trace_csv");
  if (!reply.ok || reply.content === undefined) return;
  download(reply.filename ?? "trace.csv", new Blob([reply.content], { type: reply.media_type }));
}
