import type { JobInLine, Line } from "../../generated/shared";
import { about } from "../format";
import { Progress } from "./RunLine";
import type { AnyStore } from "./store";

/** Where a bench stands that waits for its turn: who is before it, and how far they are. */
export function WaitingLine({ store, line: { jobs, smaller } }: { store: AnyStore; line: Line }) {
  const place = jobs.at(-1)?.place ?? 1;
  const command = (name: string) => () => void store.command(name);
  return (
    <div role="status" data-testid="waiting-line">
      <p class="message-title">Your run is {ordinal(place)} in line</p>
      <p class="message-text">{startText(jobs)}The result comes here; other benches stay open.</p>
      <ol class="job-line ink2 t12">
        {jobs.map((job, i) => (
          <li key={i} class={job.own ? "own-job" : ""}>
            <span>{job.place === 0 ? "Running" : `${short(job.place)} in line`}</span>
            <b>{job.title}</b>
            {job.place === 0 && job.total > 0 && (
              <Progress done={job.done} total={job.total} label={job.title} />
            )}
            <span>{timeText(job)}</span>
          </li>
        ))}
      </ol>
      <div class="actions wrap-row">
        {smaller && (
          <button
            type="button"
            class="button first"
            data-testid="smaller-run"
            onClick={command("smaller-run")}
          >
            Show a smaller run now
          </button>
        )}
        <button
          type="button"
          class="button"
          data-testid="leave-line"
          onClick={command("leave-line")}
        >
          Leave the line
        </button>
      </div>
    </div>
  );
}

/** When it starts, where the time of everyone before it is known. */
export function startText(jobs: readonly JobInLine[]): string {
  const left = jobs.slice(0, -1).map((job) => job.seconds_left);
  if (left.length === 0 || left.includes(null)) return "";
  return `It starts in ${about(left.reduce<number>((sum, one) => sum + one!, 0))}. `;
}

function timeText({ seconds_left: left, place }: JobInLine): string {
  if (left === null) return "";
  return place === 0 ? `${about(left)} left` : about(left);
}

const short = (place: number) => `${place}${["th", "st", "nd", "rd"][place] ?? "th"}`;

export const ordinal = (place: number) =>
  ["first", "second", "third", "fourth", "fifth"][place - 1] ?? short(place);
