/** What the list shows of its rows. */
import type { Row } from "./records";

const UNITS = [
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
] as const;

/** Bytes in a unit that fits; empty for none. */
export function size(bytes: number): string {
  if (bytes <= 0) return "";
  const [unit, word] = UNITS.find(([least]) => bytes >= least) ?? [1, "bytes"];
  const value = bytes / unit;
  return `${value.toFixed(value >= 10 || unit === 1 ? 0 : 1)} ${word}`;
}

/** The state of a subject in words. */
export function state(row: Row): string {
  if (row.state === "loading") return row.total > 0 ? `${percent(row)} loaded` : "loading";
  if (row.state === "failed") return "cannot be opened";
  if (row.group === "Services") return "ready";
  if (row.state === "closed") return "not loaded";
  return row.used ? "in use" : "loaded";
}

const percent = (row: Row) => `${Math.round((100 * row.done) / row.total)} %`;

/** Rows whose name, kind or source has each of the words. */
export function found(rows: readonly Row[], search: string): Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const text = [row.name, row.kind, row.about, row.origin, row.group, row.own ? "own" : ""]
      .join(" ")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Rows under the titles of their groups, in the order in which they come. */
export function grouped(rows: readonly Row[]): [string, Row[]][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  return [...groups];
}

/** The row above or below another one; the first where that one is not shown. */
export function neighbour(rows: readonly Row[], name: string, by: number): string {
  const place = rows.findIndex((row) => row.name === name);
  const next = place < 0 ? 0 : Math.min(Math.max(place + by, 0), rows.length - 1);
  return rows[next]?.name ?? "";
}

/** The line above the list. */
export const summary = (rows: readonly Row[]): string => {
  const open = rows.filter((row) => row.state === "open" && row.memory > 0);
  const memory = open.reduce((sum, row) => sum + row.memory, 0);
  const count = `${rows.length} models and services that the benches can ask`;
  return open.length ? `${count} · ${open.length} loaded, ${size(memory)} in memory` : count;
};
