/** A page's last act that can be undone; the status line offers it on every page's behalf. */
export interface Undoable {
  /** What was done, such as "1 run deleted". */
  text: string;
  undo: () => Promise<unknown>;
}

const EVENT = "biaslab:undoable";

export function offerUndo(undoable: Undoable): void {
  dispatchEvent(new CustomEvent(EVENT, { detail: undoable }));
}

/** Calls back with each new offer; returns how to stop. */
export function listenForUndo(call: (undoable: Undoable) => void): () => void {
  const listen = (event: Event) => call((event as CustomEvent<Undoable>).detail);
  addEventListener(EVENT, listen);
  return () => removeEventListener(EVENT, listen);
}
