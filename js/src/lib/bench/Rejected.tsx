import { useState } from "preact/hooks";

interface Row {
  /** Set where it can be put back. */
  id: string;
  text: string;
  reason: string;
  code?: string;
}

interface Props {
  rows: readonly Row[];
  /** What the list says when it is closed. */
  title: string;
  onRestore: (id: string) => void;
}

const STEP = 50;

/** What is not used, each with the reason; what can be put back has a button for it. */
export function Rejected({ rows, title, onRestore }: Props) {
  const [open, setOpen] = useState(false);
  const [most, setMost] = useState(STEP);
  if (rows.length === 0) return null;
  return (
    <details
      class="rejected t12"
      open={open}
      data-testid="rejected"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary class="ink2">{title}</summary>
      {open && (
        <>
          <ul>
            {rows.slice(0, most).map((row, i) => (
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
                    onClick={() => onRestore(row.id)}
                  >
                    Put back
                  </button>
                )}
              </li>
            ))}
          </ul>
          {rows.length > most && (
            <button type="button" class="button" onClick={() => setMost(most + STEP)}>
              Show {Math.min(STEP, rows.length - most)} more
            </button>
          )}
        </>
      )}
    </details>
  );
}
