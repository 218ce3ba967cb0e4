import type { ComponentChildren } from "preact";
import { useCallback, useRef, useState } from "preact/hooks";
import { Popover } from "./Popover";

interface Props {
  /** Name of the card that opens. */
  label: string;
  /** What stands on the button. */
  text: ComponentChildren;
  /** Test id of the button; that of the card is `TESTID-card`. */
  testid: string;
  /** Look of the button. */
  look?: string;
  class?: string;
  disabled?: boolean;
  children: (close: () => void) => ComponentChildren;
}

/** A button that opens a card, and the card. */
export function Disclosure(props: Props) {
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => setOpen(false), []);
  return (
    <span class={`control ${props.class}`}>
      <button
        ref={opener}
        type="button"
        class={props.look ?? "link"}
        aria-expanded={open}
        disabled={props.disabled}
        data-testid={props.testid}
        onClick={() => setOpen(!open)}
      >
        {props.text}
      </button>
      {open && (
        <Popover
          label={props.label}
          testid={`${props.testid}-card`}
          opener={opener}
          onClose={close}
        >
          {props.children(close)}
        </Popover>
      )}
    </span>
  );
}
