/** Jobs of the server, as its status answers. */
import { getJson, postJson } from "../lib/api";
import { type Counts, showCounts } from "./counts";

export interface Job {
  id: number;
  title: string;
  /** Where the person finds it again; empty where that is nowhere. */
  address: string;
  mine: boolean;
  place: number;
  /** A person waits for it: it is not computed beside a run. */
  is_run: boolean;
  stopping: boolean;
  message: string;
  done: number;
  total: number;
  seconds_left: number | null;
}

/** Benches with a run that no page shows. */
export interface Kept {
  title: string;
  address: string;
}

export interface Work {
  jobs: Job[];
  kept: Kept[];
}

const PAGE = crypto.getRandomValues(new Uint32Array(3)).join("-");

/** The jobs, running ones first; null when the server does not answer. Says that the page is open. */
export async function fetchWork(): Promise<Work | null> {
  try {
    const { counts, ...work } = await getJson<Work & { counts: Counts }>(`api/status?page=${PAGE}`);
    showCounts(counts);
    return work;
  } catch {
    return null;
  }
}

/** Says that the page is closed; one that the browser brings back says that it is open again. */
export const sayLeft = () => navigator.sendBeacon("api/left", JSON.stringify({ page: PAGE }));

export const stopJob = (id: number) => postJson(`api/jobs/${id}/stop`, {});
