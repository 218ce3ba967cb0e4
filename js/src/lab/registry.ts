/** Where the extension and the views of benches meet: they are loaded apart from each other. */

export interface Registry {
  /** Settings that a bench shall begin with, by the id under which it is shown. */
  settings: Map<string, Record<string, unknown>>;
  /** Calls back when the kernel of a bench is gone; returns how to stop that. */
  watch(id: string, onGone: () => void): () => void;
  /** Whether the kernel of a bench runs a cell. */
  isBusy(id: string): boolean;
  /** Fills the notice that the kernel of a bench is gone, with a button. */
  dress(notice: HTMLElement, id: string): void;
  /** Runs the cell again that shows a bench. */
  runAgain(id: string): void;
}

declare global {
  var biaslabLab: Registry | undefined;
}

/** The extension of JupyterLab; undefined in any other front end. */
export const registry = () => globalThis.biaslabLab;
