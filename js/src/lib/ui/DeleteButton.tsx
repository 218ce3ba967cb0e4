import { useState } from "preact/hooks";

interface Props {
  /** Name of the thing. */
  what: string;
  testid: string;
  onDelete: () => void;
}

/** Asks again before it deletes: there is no way back. */
export function DeleteButton({ what, testid, onDelete }: Props) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <button
        type="button"
        class={asked ? "button" : "button plain"}
        data-testid={testid}
        onClick={() => (asked ? onDelete() : setAsked(true))}
      >
        {asked ? `Delete ${what} for good` : "Delete"}
      </button>
      {asked && (
        <button type="button" class="button plain" onClick={() => setAsked(false)}>
          Keep it
        </button>
      )}
    </>
  );
}
