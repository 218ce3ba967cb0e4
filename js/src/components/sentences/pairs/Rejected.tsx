import { useState } from "preact/hooks";
import type { Store, View } from "../store";
import { many } from "../texts";

const STEP = 50;

/** What is not used, each with the reason; what can be put back has a button for it. */
export function Rejected({ store, view }: { store: Store; view: View }) {
  const { rejected } = view.sentences;
  const [open, setOpen] = useState(false);
  const [most, setMost] = useState(STEP);
  if (rejected.length === 0) return null;
  return (
    <details
      class="rejected"
      open={open}
      data-testid="rejected"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        {many(rejected.length, "sentence is", "sentences are")} not used, with reasons
      </summary>
      {open && (
        <>
          <ul>
            {rejected.slice(0, most).map((row, i) => (
              <li key={row.id || i} data-testid="rejected-row" data-code={row.code}>
                <span class="rejected-text" dir="auto">
                  {row.text}
                </span>
                <span class="reason">{row.reason}</span>
                {row.id && (
                  <button
                    type="button"
                    class="button plain"
                    data-testid="put-back"
                    onClick={() => void store.restore([row.id])}
                  >
                    Put back
                  </button>
                )}
              </li>
            ))}
          </ul>
          {rejected.length > most && (
            <button type="button" class="button" onClick={() => setMost(most + STEP)}>
              Show {Math.min(STEP, rejected.length - most)} more
            </button>
          )}
        </>
      )}
    </details>
  );
}
