/** The paper's simulation: its rows, and what is drawn of it. */
import type { Simulation } from "../../generated/association";
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
export function beyondCeiling({ ceiling }: Simulation, row: number, ddof: number): string {
  const printed = PAPER_ROWS[row]?.weat ?? 0;
  if (Math.abs(printed) <= ceiling) return "";
  const why = ddof === 1 ? " It needs an SD over n, whose ceiling is higher." : "";
  return `The paper’s draw ${number(printed)} lies beyond the ceiling.${why}`;
}

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
