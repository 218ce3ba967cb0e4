/** What the panels below the picture share: each has a question, a job and a result. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Span } from "../../generated/shared";
import { Progress } from "../../lib/bench/RunLine";
import type { Progress as Done } from "../../lib/bench/records";
import { Spans } from "../../lib/bench/Verdict";
import { downloadReply } from "../../lib/export";
import { about } from "../../lib/format";
import type { Store } from "./store";

interface PanelProps {
  /** Of its test ids: "layers". */
  name: string;
  label: string;
  question: string;
  state: string;
  open: boolean;
  onToggle: () => void;
  /** Beside the question. */
  beside?: ComponentChildren;
  children: ComponentChildren;
}

/** A panel that is folded until its question is opened. */
export function Panel(props: PanelProps) {
  const { name, open } = props;
  const body = useId();
  return (
    <section class="panel" aria-label={props.label}>
      <div class="panel-head wrap-row">
        <button
          type="button"
          class="link"
          aria-expanded={open}
          aria-controls={body}
          data-testid={`${name}-open`}
          onClick={props.onToggle}
        >
          {props.question}
        </button>
        {props.beside}
      </div>
      <div id={body} hidden={!open} data-testid={name} data-state={props.state}>
        {open && props.children}
      </div>
    </section>
  );
}

interface JobProps {
  store: Store;
  name: string;
  /** What Python calls the job in its commands: "trace" in "stop_trace". */
  job: string;
}

interface WorkingProps extends JobProps {
  progress: Done;
  /** What goes on, where Python does not say. */
  message: string;
  label: string;
}

/** How far the job is, with a way to stop. */
export function Working({ store, name, job, progress, message, label }: WorkingProps) {
  const { done, total, seconds_left } = progress;
  return (
    <div class="making in-line" role="status" data-testid={`${name}-working`}>
      <span>
        {progress.message || message}
        {seconds_left !== null && `, ${about(seconds_left)} left`}
      </span>
      <Progress done={done} total={total} label={label} />
      <button
        type="button"
        class="button"
        data-testid={`${name}-stop`}
        onClick={() => void store.ask(`stop_${job}`)}
      >
        Stop
      </button>
    </div>
  );
}

interface FoundProps {
  name: string;
  found: { current: boolean; verdict: Span[]; caveat: string };
  /** After the caveat that Python gives. */
  note?: string;
  children: ComponentChildren;
}

/** The verdict with what it rests on; pale where it answers an earlier question. */
export function Found({ name, found, note, children }: FoundProps) {
  return (
    <div class={found.current ? "" : "earlier"}>
      <p class="panel-verdict" data-testid={`${name}-verdict`}>
        <Spans spans={found.verdict} />
      </p>
      <p class="caveat" data-testid={`${name}-caveat`}>
        {found.caveat}
        {note && ` ${note}`}
      </p>
      {children}
    </div>
  );
}

/** The ways to take the result along. */
export function TakeAlong({ store, name, job }: JobProps) {
  const takeCsv = async () => downloadReply(await store.command(`${job}_csv`), `${job}.csv`);
  return (
    <>
      <button
        type="button"
        class="button"
        data-testid={`${name}-csv`}
        onClick={() => void takeCsv()}
      >
        CSV
      </button>
      <button
        type="button"
        class="button"
        data-testid={`${name}-save`}
        onClick={() => void store.command(`save_${job}`)}
      >
        Save run
      </button>
    </>
  );
}
