/** The line at the bottom of every page: running and waiting jobs, or what can be undone. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { whole } from "../../lib/format";
import { fetchWork, type Job, type Kept, sayLeft, stopJob, type Work } from "./jobs";
import { Silence } from "./silence";
import { listenForUndo, type Undoable } from "./undo";

const BUSY_MS = 500;
const IDLE_MS = 3000;
/** A page that nobody sees says now and then that it is open, or its person's runs would end. */
const HIDDEN_MS = 20_000;

export function startStatus(): void {
  addEventListener("pagehide", sayLeft);
  const place = document.getElementById("status");
  if (place) render(<Status />, place);
}

function Status() {
  const work = useWork();
  const [undoable, setUndoable] = useState<Undoable | null>(null);
  useEffect(() => listenForUndo(setUndoable), []);
  if (undoable) return <UndoLine undoable={undoable} done={() => setUndoable(null)} />;
  if (work === null) return <Silence />;
  const [first] = work.jobs;
  if (first) {
    const own = work.jobs.filter((job) => job.mine);
    const job = own.find(({ is_run }) => is_run) ?? own[0] ?? first;
    return <JobLine job={job} jobs={work.jobs} />;
  }
  const ended = work.kept.find(isElsewhere);
  return ended ? <EndedLine bench={ended} /> : <span>No jobs</span>;
}

const isElsewhere = ({ address }: Kept) =>
  address !== "" && !location.pathname.endsWith(`/${address}`);

const BackToIt = ({ address }: Kept) => <a href={address}>Back to it</a>;

const EndedLine = ({ bench }: { bench: Kept }) => (
  <>
    <strong>{bench.title}</strong>
    <span class="what">the run has ended</span>
    <BackToIt {...bench} />
  </>
);

/** A job of the person where there is one: those of others only say how long it takes. */
function JobLine({ job, jobs }: { job: Job; jobs: Job[] }) {
  const waiting = jobs.filter((one) => one !== job && one.is_run && one.place > 0).length;
  return (
    <>
      <strong>{job.title}</strong>
      <span class="what">{describe(job)}</span>
      {job.total > 0 && <progress value={job.done} max={job.total} aria-label="Progress" />}
      {isElsewhere(job) && <BackToIt {...job} />}
      {job.mine && (
        <button type="button" disabled={job.stopping} onClick={() => stopJob(job.id)}>
          {job.stopping ? "Stopping" : "Stop"}
        </button>
      )}
      {waiting > 0 && <span>{waiting === 1 ? "1 job waiting" : `${waiting} jobs waiting`}</span>}
    </>
  );
}

function describe(job: Job): string {
  if (job.place > 0) return job.place === 1 ? "next in line" : `in line, place ${job.place}`;
  const isCounted = Number.isInteger(job.done) && job.total > 1 && !job.message.includes(" of ");
  const count = isCounted ? `${whole(job.done)} of ${whole(job.total)}` : "";
  const left = job.seconds_left === null ? "" : `${duration(job.seconds_left)} left`;
  return [job.message, count, left].filter(Boolean).join(", ");
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return `${Math.round(seconds / 60)} min`;
}

function UndoLine({ undoable, done }: { undoable: Undoable; done: () => void }) {
  const undo = async () => {
    await undoable.undo();
    done();
  };
  return (
    <>
      <span>{undoable.text}</span>
      <button type="button" onClick={undo}>
        Undo
      </button>
    </>
  );
}

/** The jobs of the server, asked for again and again; null while it does not answer. */
function useWork(): Work | null {
  const [work, setWork] = useState<Work | null>({ jobs: [], kept: [] });
  useEffect(() => {
    let timer = 0;
    const look = async () => {
      window.clearTimeout(timer);
      const now = await fetchWork();
      setWork(now);
      const seen = now?.jobs.length ? BUSY_MS : IDLE_MS;
      timer = window.setTimeout(look, document.hidden ? HIDDEN_MS : seen);
    };
    // A page that is closed is hidden last of all, after it has said so.
    const show = () => document.hidden || look();
    document.addEventListener("visibilitychange", show);
    look();
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", show);
    };
  }, []);
  return work;
}
