/** Jobs of the server, as its status answers. */
import { getJson, postJson } from "../lib/api";
import { type Counts, showCounts } from "./counts";

export interface Job {
  id: number;
  title: string;
  mine: boolean;
  place: number;
  stopping: boolean;
  message: string;
  done: number;
  total: number;
  seconds_left: number | null;
}

interface Answer {
  jobs: Job[];
  counts: Counts;
}

/** The jobs, running ones first; null when the server does not answer. */
export async function fetchJobs(): Promise<Job[] | null> {
  try {
    const { jobs, counts } = await getJson<Answer>("api/status");
    showCounts(counts);
    return jobs;
  } catch {
    return null;
  }
}

export const stopJob = (id: number) => postJson(`api/jobs/${id}/stop`, {});
