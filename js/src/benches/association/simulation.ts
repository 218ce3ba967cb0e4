/** The paper's simulation: its rows, and what is drawn of it. */
import type { Simulation } from "../../generated/association";
import type { RowMark } from "../../lib/chart/marks";
import type { Line } from "./Histogram";
import type { Inputs } from "./store";
import { number } from "./texts";

/** Rows of the paper's table: means of X to A, X to B, Y to A, Y to B, their SD, one drawn WEAT. */
export const PAPER_ROWS = [
  { means: [0, 0, 0, 0], sd: 0.05, weat: 1.82 },
  { means: [0, 0, 0, 0], sd: 0.001, weat: -1.93 },
  { means: [0.1, 0, 0, 0.1], sd: 0.05, weat: 1.49 },
  { means: [0.1, 0, 0, 0.1], sd: 0.1, weat: 1.22 },
] as const;

/** The paper's list lengths: two words a class, five attributes a list. */
export const PAPER_LENGTHS = { words: 2, attributes: 5 } as const;

/** The row of the paper that is simulated, if it is one. */
export function paperRow(inputs: Inputs["simulation"]): number {
  const { words, attributes, sd, means } = inputs;
  if (words !== PAPER_LENGTHS.words || attributes !== PAPER_LENGTHS.attributes) return -1;
  return PAPER_ROWS.findIndex((row) => row.sd === sd && row.means.every((m, i) => m === means[i]));
}

export function simulationDomain({ edges, ceiling }: Simulation): [number, number] {
  const reach = 1.06 * Math.max(2, ceiling, ...edges.map(Math.abs));
  return [-reach, reach];
}

/** Why the number that the paper prints lies where no effect size with this divisor can; or nothing. */
export function beyondCeiling({ ceiling }: Simulation, row: number): string {
  const printed = PAPER_ROWS[row]?.weat ?? 0;
  if (Math.abs(printed) <= ceiling) return "";
  return `The paper’s draw ${number(printed)} lies beyond the ceiling. Its program compares the first words alone.`;
}

/** An axis for the similarities of one draw, with 0. */
export function drawnDomain({ words }: Simulation): [number, number] {
  const all = words.flatMap(({ to_a, to_b }) => [...to_a, ...to_b]);
  const reach = Math.max(0.01, ...all.map(Math.abs));
  return [Math.min(0, ...all) - 0.04 * reach, Math.max(0, ...all) + 0.04 * reach];
}

export const dots = (values: readonly number[], first: boolean): RowMark[] =>
  values.map((value) => ({
    value,
    low: null,
    high: null,
    look: first ? "side-1" : "side-2",
    shape: first ? "circle" : "square",
    dy: first ? -4 : 4,
  }));

export function simulationLines(found: Simulation, row: number): Line[] {
  const { ceiling } = found;
  const lines: Line[] = [-ceiling, ceiling].map((value) => ({
    value,
    look: "ceiling",
    texts: [`ceiling ${number(value)}`],
  }));
  const printed = PAPER_ROWS[row]?.weat;
  if (printed !== undefined) {
    lines.push({
      value: printed,
      look: "observed",
      texts: [`the paper’s draw ${number(printed)}`],
    });
  }
  return lines;
}
