import { useEffect, useState } from "preact/hooks";

interface Props {
  disabled: boolean;
  /** There are results, which it takes away. */
  isThere: boolean;
  onStart: () => unknown;
  store: { command(name: string): Promise<unknown> };
}

const UNDO_MS = 60_000;

/** Takes the results away; for a minute they can be brought back in the same place. */
export function StartAgain({ disabled, isThere, onStart, store }: Props) {
  const [undoable, setUndoable] = useState(false);
  useEffect(() => {
    if (!undoable) return;
    const timer = setTimeout(() => setUndoable(false), UNDO_MS);
    return () => clearTimeout(timer);
  }, [undoable]);
  const undo = undoable && !isThere;
  return (
    <button
      type="button"
      class="button plain"
      data-testid={undo ? "bring-back" : "start-again"}
      disabled={!undo && disabled}
      onClick={() => {
        setUndoable(!undo && isThere);
        void (undo ? store.command("bring-back") : onStart());
      }}
    >
      {undo ? "Undo: bring the results back" : "Start again"}
    </button>
  );
}
