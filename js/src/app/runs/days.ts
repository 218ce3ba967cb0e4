/** Runs by day, and times as people read them. */
import type { Entry } from "./filter";

export interface Day {
  name: string;
  entries: Entry[];
}

/** Consecutive entries of one day, in the person's own time zone. */
export function byDay(entries: readonly Entry[], now = new Date()): Day[] {
  const days: Day[] = [];
  let key = "";
  for (const entry of entries) {
    const date = entry.run.time ? new Date(entry.run.time) : null;
    const own = date ? date.toDateString() : "unknown";
    if (own !== key || days.length === 0) days.push({ name: dayName(date, now), entries: [] });
    key = own;
    days.at(-1)?.entries.push(entry);
  }
  return days;
}

export function dayName(date: Date | null, now: Date): string {
  if (date === null) return "Unknown day";
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  if (date.toDateString() === now.toDateString()) return "Today";
  if (date.toDateString() === yesterday.toDateString()) return "Yesterday";
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return date
    .toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", year })
    .replace(",", "");
}

export function duration(seconds: number | null): string {
  if (seconds === null) return "";
  if (seconds < 0.0995) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function size(bytes: number): string {
  if (bytes < 1e6) return `${Math.max(1, Math.round(bytes / 1e3))} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
