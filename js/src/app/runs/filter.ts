/** Which runs are shown: a filter, as it stands in the address, and its answer in memory. */
import type { BenchName, Run } from "../lib/runs";

export interface Filter {
  search: string;
  bench: string;
  subject: string;
  tag: string;
}

export const NO_FILTER: Filter = { search: "", bench: "", subject: "", tag: "" };
/** Stands for runs that were saved outside of benches. */
export const ELSEWHERE = "elsewhere";

/** A run with the text that is searched, in lower case. */
export interface Entry {
  run: Run;
  text: string;
  bench: string;
}

export function filterOf(query: string): Filter {
  const given = new URLSearchParams(query);
  const filter = { ...NO_FILTER };
  for (const name of Object.keys(NO_FILTER) as (keyof Filter)[])
    filter[name] = given.get(name) ?? "";
  return filter;
}

/** The address of the page under a filter, relative to the server's root. */
export function addressOf(filter: Filter): string {
  const set = Object.entries(filter).filter(([, value]) => value !== "");
  return set.length ? `runs?${new URLSearchParams(set)}` : "runs";
}

export function entriesOf(runs: readonly Run[], benches: readonly BenchName[]): Entry[] {
  const titles = new Map(benches.map(({ name, title }) => [name, title]));
  return runs
    .map((run) => {
      const title = titles.get(run.bench) ?? "";
      const texts = [run.headline, run.label, run.subject, title, run.probe, run.id, ...run.tags];
      return { run, text: texts.join("\n").toLowerCase(), bench: title ? run.bench : ELSEWHERE };
    })
    .sort((one, other) =>
      one.run.time < other.run.time ? 1 : one.run.time > other.run.time ? -1 : 0,
    );
}

export interface Matches {
  shown: Entry[];
  /** Of the runs that match all but the bench, by bench. */
  counts: Map<string, number>;
  total: number;
}

/** Entries that match; `about` are ids of runs whose words the server has found. */
export function match(
  entries: readonly Entry[],
  filter: Filter,
  about: ReadonlySet<string>,
): Matches {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = new Map<string, number>();
  const shown: Entry[] = [];
  let total = 0;
  for (const entry of entries) {
    const { run, text, bench } = entry;
    if (filter.subject && run.subject !== filter.subject) continue;
    if (filter.tag && !run.tags.includes(filter.tag)) continue;
    if (!words.every((word) => text.includes(word)) && !about.has(run.id)) continue;
    counts.set(bench, (counts.get(bench) ?? 0) + 1);
    total += 1;
    if (!filter.bench || bench === filter.bench) shown.push(entry);
  }
  return { shown, counts, total };
}

/** What does not match, in words. */
export function noMatch(filter: Filter): string {
  const only = Object.entries(filter).filter(([, value]) => value !== "");
  if (only.length === 1 && filter.tag) return "No run has this tag.";
  if (only.length === 1 && filter.subject) return "No run is of this subject.";
  if (only.length === 1 && filter.bench) return "No run was saved in this bench.";
  if (only.length === 1) return `No run matches “${filter.search}”.`;
  return "No run matches all of these.";
}
