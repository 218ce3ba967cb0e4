/** Requests about stored runs. */
import { getJson, postJson } from "./api";

export interface Run {
  id: string;
  label: string;
  tags: string[];
  bench: string;
  probe: string;
  subject: string;
  /** ISO 8601; empty if unknown. */
  time: string;
  seconds: number | null;
  headline: string;
  bytes: number;
  /** Who shared it; empty for a run of one's own. */
  sharedBy: string;
}

export interface BenchName {
  name: string;
  title: string;
}

export interface Listed {
  runs: Run[];
  benches: BenchName[];
  bytes: number;
  /** Whether the person may share runs with everybody on this server. */
  mayShare: boolean;
}

export const FORMATS = [
  ["csv", "CSV"],
  ["json", "JSON"],
  ["parquet", "Parquet"],
  ["svg", "SVG"],
] as const;

const list = (ids: readonly string[]) => ids.map(encodeURIComponent).join(",");

export const listRuns = () => getJson<Listed>("api/runs");

export const findRuns = async (search: string) =>
  (await getJson<{ ids: string[] }>(`api/runs/found?search=${encodeURIComponent(search)}`)).ids;

export const picturesOf = async (ids: readonly string[]) =>
  (await getJson<{ pictures: Record<string, string> }>(`api/runs/pictures?runs=${list(ids)}`))
    .pictures;

export const deleteRuns = (ids: string[]) => postJson("api/runs/delete", { ids });
export const restoreRuns = (ids: string[]) => postJson("api/runs/restore", { ids });
export const tagRuns = (ids: string[], tags: string[]) => postJson("api/runs/tag", { ids, tags });
export const untagRuns = (ids: string[], tags: string[]) =>
  postJson("api/runs/untag", { ids, tags });
export const shareRuns = (ids: string[]) => postJson("api/runs/share", { ids });
export const withdrawRuns = (ids: string[]) => postJson("api/runs/withdraw", { ids });
export const renameRun = (id: string, label: string) =>
  postJson("api/runs/rename", { ids: [id], label });

/** Why two runs cannot be compared; empty if they can. */
export const whyNotComparable = async (a: string, b: string) =>
  (
    await getJson<{ why: string }>(
      `api/compare/possible?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`,
    )
  ).why;

export const exportAddress = (ids: readonly string[], format: string) =>
  `api/runs/export?runs=${list(ids)}&format=${format}`;
export const reportAddress = (ids: readonly string[]) => `report?runs=${list(ids)}`;
export const compareAddress = (a: string, b: string) =>
  `compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`;
export const trajectoryAddress = (ids: readonly string[]) =>
  `trajectory?${new URLSearchParams(ids.map((id) => ["run", id]))}`;
