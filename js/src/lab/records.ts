/** What Python writes into an output beside a bench's view: see `hosts/jupyter.py`. */

export const BENCH = "application/vnd.biaslab.bench+json";
export const VIEW = "application/vnd.jupyter.widget-view+json";
export const PICTURE = "image/svg+xml";

export interface ShownBench {
  /** The id under which it is shown. */
  id: string;
  model_id: string;
  /** Name of its class. */
  bench: string;
  kernel: string;
  /** The same for each bench that the same cell makes. */
  made_of: string;
  /** Names of its subjects. */
  about: string;
  /** When its result was computed, and Python that makes it again; empty without one. */
  time?: string;
  code?: string;
  settings: Record<string, unknown>;
}

/** The bench in an output's data; null where there is none. */
export function benchIn(data: Record<string, unknown>): ShownBench | null {
  const shown = data[BENCH] as Partial<ShownBench> | undefined;
  return typeof shown?.id === "string" ? (shown as ShownBench) : null;
}
