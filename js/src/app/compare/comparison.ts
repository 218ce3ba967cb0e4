/** A comparison as the server answers it, and what is computed of it for the screen. */
import { fixed } from "../../lib/format";
import { domainOver, tickStep, ticks } from "../../lib/scale";

export type Ends = [number, number];

export interface ComparedRow {
  label: string;
  a: number | null;
  b: number | null;
  aEnds: Ends | null;
  bEnds: Ends | null;
  aLean: number;
  bLean: number;
  change: number | null;
  changeEnds: Ends | null;
  outside: number | null;
}

export interface Total {
  name: string;
  unit: string;
  a: number | null;
  b: number | null;
  change: number | null;
  ends: Ends | null;
}

export interface Aspect {
  name: string;
  a: string;
  b: string;
}

export interface Comparison {
  verdict: { text: string; role: string }[];
  caveat: string;
  names: [string, string];
  measure: string;
  unit: string;
  scale: number;
  neutral: number | null;
  sides: [string, string];
  groups: boolean;
  rowsAre: string;
  level: number;
  paired: boolean;
  outsideLabel: string;
  rows: ComparedRow[];
  totals: Total[];
  only: { run: string; label: string; value: number | null; ends: Ends | null }[];
  differs: Aspect[];
  equal: Aspect[];
}

export const SORTS = [
  ["a", "Sort: A"],
  ["b", "Sort: B"],
  ["change", "Sort: B − A"],
  ["label", "Sort: name"],
] as const;
export type Sort = (typeof SORTS)[number][0];

export function sortedRows(rows: readonly ComparedRow[], sort: Sort): ComparedRow[] {
  if (sort === "label") return [...rows].sort((x, y) => x.label.localeCompare(y.label));
  const key = (row: ComparedRow) => row[sort] ?? Number.NEGATIVE_INFINITY;
  return [...rows].sort((x, y) => (sort === "change" ? key(x) - key(y) : key(y) - key(x)));
}

export interface Axis {
  domain: [number, number];
  ticks: number[];
}

/** An axis over values and interval ends, with round ticks. */
export function axisOver(values: readonly (number | null | undefined)[]): Axis {
  const domain = domainOver(values, 0.06);
  return { domain, ticks: ticks(...domain, tickStep(...domain, 3)) };
}

/** Decimals by which numbers of this spread differ. */
export function digitsOf(values: readonly (number | null)[], scale: number): number {
  const sizes = values.filter((v): v is number => v !== null).map((v) => Math.abs(v * scale));
  const largest = Math.max(...sizes, 0);
  if (largest >= 20) return 0;
  return largest >= 2 ? 1 : largest >= 0.2 ? 2 : 3;
}

export function written(value: number | null, scale: number, digits: number, sign = false): string {
  if (value === null) return "";
  const text = fixed(value * scale, digits);
  return sign && value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

export const range = (ends: Ends | null, scale: number, digits: number) =>
  ends ? `${written(ends[0], scale, digits)} to ${written(ends[1], scale, digits)}` : "";

/** Ids of two runs, and by what they are compared. */
export interface Compared {
  a: string;
  b: string;
  measure: string;
}

export const queryOf = (compared: Compared) =>
  new URLSearchParams(Object.entries(compared)).toString();

/** Python that compares the runs. */
export const codeOf = ({ a, b, measure }: Compared) => {
  const by = measure === "pse" ? "" : `, measure="${measure}"`;
  return `import biaslab as bl\n\ncomparison = bl.compare("${a}", "${b}"${by})\nprint(comparison.summary())\n`;
};
