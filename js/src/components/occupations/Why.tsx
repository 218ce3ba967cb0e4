import { useCallback, useRef, useState } from "preact/hooks";
import { Popover } from "../../lib/ui/Popover";

/** A question about the verdict that many ask, with its answer. */
export function Why({ asked, text }: { asked: string; text: string }) {
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => setOpen(false), []);
  return (
    <span class="control why">
      <button
        ref={opener}
        type="button"
        class="link"
        aria-expanded={open}
        data-testid="why"
        onClick={() => setOpen(!open)}
      >
        {asked}
      </button>
      {open && (
        <Popover label={asked} testid="why-card" opener={opener} onClose={close}>
          <p>{text}</p>
          <button type="button" class="button" onClick={close}>
            Close
          </button>
        </Popover>
      )}
    </span>
  );
}
