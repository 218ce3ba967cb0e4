import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  /** Selects the text, in the children, that may be longer than its room. */
  text: string;
  /** What the text is, for the button's name. */
  what: string;
  class?: string;
  children: ComponentChildren;
}

/**
 * Room for `--lines` lines of a text, so that nothing below moves when it changes. A longer one is
 * cut for the eye until it is opened; it is there as a whole for who has it read aloud.
 */
export function Room({ text, what, class: look = "", children }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const [cut, setCut] = useState(false);
  // After every drawing: the text may be another, and so may its width.
  useLayoutEffect(() => {
    const own = place.current;
    if (!own) return;
    const measure = () => {
      const element = own.querySelector(text);
      setCut(element !== null && element.scrollHeight > element.clientHeight + 1);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(own);
    return () => observer.disconnect();
  });
  return (
    <div ref={place} class={`room ${open ? "open" : ""} ${look}`}>
      {children}
      {(cut || open) && (
        <button
          type="button"
          class="link room-more"
          aria-expanded={open}
          aria-label={`${open ? "Less" : "Read all"} of the ${what}`}
          data-testid={`${what}-more`}
          onClick={() => setOpen(!open)}
        >
          {open ? "Less" : "Read all"}
        </button>
      )}
    </div>
  );
}
