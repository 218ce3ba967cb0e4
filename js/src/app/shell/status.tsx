/** The line at the bottom of every page: running and waiting jobs, or what can be undone. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { fetchJobs, type Job, stopJob } from "./jobs";
import { Silence } from "./silence";
import { listenForUndo, type Undoable } from "./undo";

const BUSY_MS = 500;
const IDLE_MS = 3000;

export function startStatus(): void {
  const place = document.getElementById("status");
  if (place) render(<Status />, place);
}

function Status() {
  const jobs = useJobs();
  const [undoable, setUndoable] = useState<Undoable | null>(null);
  useEffect(() => listenForUndo(setUndoable), []);
  if (undoable) return <UndoLine undoable={undoable} done={() => setUndoable(null)} />;
  if (jobs === null) return <Silence />;
  const [first, ...others] = jobs;
  return first ? <JobLine job={first} waiting={others.length} /> : <span>No jobs</span>;
}

function JobLine({ job, waiting }: { job: Job; waiting: number }) {
  return (
    <>
      <strong>{job.title}</strong>
      <span class="what">{describe(job)}</span>
      {job.total > 0 && <progress value={job.done} max={job.total} aria-label="Progress" />}
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
  const left = job.seconds_left === null ? "" : `${duration(job.seconds_left)} left`;
  return [job.message, left].filter(Boolean).join(", ");
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
function useJobs(): Job[] | null {
  const [jobs, setJobs] = useState<Job[] | null>([]);
  useEffect(() => {
    let timer = 0;
    const look = async () => {
      const jobs = document.hidden ? [] : await fetchJobs();
      setJobs(jobs);
      timer = window.setTimeout(look, jobs?.length ? BUSY_MS : IDLE_MS);
    };
    look();
    return () => window.clearTimeout(timer);
  }, []);
  return jobs;
}
