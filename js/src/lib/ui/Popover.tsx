import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  label: string;
  testid?: string;
  /** What opened it: clicks there do not count as clicks outside, and focus returns to it. */
  opener: RefObject<HTMLElement | null>;
  onClose: () => void;
  children: ComponentChildren;
}

/** A floating card under its opener; Esc, leaving it or a click elsewhere closes it. */
export function Popover({ label, testid, opener, onClose, children }: Props) {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const outside = (event: Event) => {
      const path = event.composedPath();
      if (!path.includes(card.current!) && !path.includes(opener.current!)) onClose();
    };
    document.addEventListener("pointerdown", outside, true);
    return () => document.removeEventListener("pointerdown", outside, true);
  }, [onClose, opener]);
  useEffect(() => {
    // A button that is disabled when it was pressed leaves the focus nowhere, and a card without
    // controls leaves it on its opener.
    const around = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      const onOpener = event.composedPath()[0] === opener.current;
      if (document.activeElement !== document.body && !onOpener) return;
      if (card.current?.querySelector(".popover")) return;
      if (onOpener) event.stopPropagation();
      onClose();
      opener.current?.focus();
    };
    document.addEventListener("keydown", around, true);
    return () => document.removeEventListener("keydown", around, true);
  }, [onClose, opener]);
  // Before the next key: what is typed at once after the click belongs to the card.
  useLayoutEffect(() => {
    const inside = card.current!;
    keepInside(inside);
    // What stands in the card may have chosen better already.
    if (inside.querySelector(":focus")) return;
    const first = inside.querySelector<HTMLElement>(":is(textarea,input,button,select):enabled");
    // Else nothing in it would take the keys that scroll it.
    if (!first && inside.scrollHeight > inside.clientHeight) inside.tabIndex = 0;
    first?.focus();
  }, []);
  return (
    <div
      ref={card}
      class="popover"
      role="dialog"
      aria-label={label}
      data-testid={testid}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
        opener.current?.focus();
      }}
      onFocusOut={(event) => {
        const to = event.relatedTarget as Node | null;
        if (to && !card.current?.contains(to) && to !== opener.current) onClose();
      }}
    >
      {children}
    </div>
  );
}

const GAP = 8;

/** Moves a card that would go over an edge of its bench. */
function keepInside(card: HTMLElement): void {
  const room = card.closest(".bench")?.getBoundingClientRect();
  if (!room) return;
  const { left, right } = card.getBoundingClientRect();
  const by = Math.max(room.left + GAP - left, Math.min(0, room.right - GAP - right));
  if (by !== 0) card.style.translate = `${by}px`;
}
