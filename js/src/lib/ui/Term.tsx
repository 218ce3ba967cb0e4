/** Terms that explain themselves: an acronym that has the focus or the pointer shows its meaning. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { GlossaryTerm } from "../../generated/glossary";
import { useUid } from "../uid";

/** The terms that a bench shows. */
export const Terms = createContext<readonly GlossaryTerm[]>([]);

const GAP = 8;

/** A term with its tooltip; one that the bench does not have is plain text. */
export function Term({ name, children }: { name: string; children?: ComponentChildren }) {
  const term = useContext(Terms).find((one) => one.name === name);
  const [open, setOpen] = useState(false);
  const id = useUid();
  const button = useRef<HTMLButtonElement>(null);
  const tip = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (!open) return;
    const follow = () => place(button.current!, tip.current!);
    follow();
    const close = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      // Esc closes the tooltip before anything else.
      event.stopPropagation();
      setOpen(false);
    };
    document.addEventListener("keydown", close, true);
    document.addEventListener("scroll", follow, true);
    return () => {
      document.removeEventListener("keydown", close, true);
      document.removeEventListener("scroll", follow, true);
    };
  }, [open]);
  const shown = children ?? name;
  if (!term) return <>{shown}</>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer may move onto the tooltip
    <span class="nowrap" onMouseEnter={() => setOpen(true)} onMouseLeave={() => setOpen(false)}>
      <button
        ref={button}
        type="button"
        class="glossed"
        data-testid="term"
        data-term={name}
        aria-describedby={open ? id : undefined}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
      >
        {shown}
      </button>
      {open && (
        <span ref={tip} id={id} class="tip" role="tooltip" data-testid="tip" popover="manual">
          <b>{term.long || term.name}</b> {term.meaning}
          {term.source && <cite> {term.source}</cite>}
        </span>
      )}
    </span>
  );
}

/** Puts a tooltip above all else, under its term or over it, inside the window. */
function place(button: HTMLElement, tip: HTMLElement): void {
  if (typeof tip.showPopover === "function" && !tip.matches(":popover-open")) tip.showPopover();
  const at = button.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const right = document.documentElement.clientWidth - own.width - GAP;
  const below = at.bottom + own.height + GAP < window.innerHeight;
  tip.style.left = `${Math.max(GAP, Math.min(at.left, right))}px`;
  tip.style.top = `${below ? at.bottom : Math.max(GAP, at.top - own.height)}px`;
}

const standsOut = (name: string) =>
  /^[A-Z][A-Z]+$|^(R-hat|d′|criterion|hit|false alarm)$/.test(name);

/** A text in which each acronym or term of art explains itself where it first stands. */
export function WithTerms({ text }: { text: string }) {
  const names = useContext(Terms)
    .map((term) => term.name)
    .filter(standsOut);
  if (!names.some((name) => text.includes(name))) return <>{text}</>;
  const seen = new Set<string>();
  return (
    <>
      {text.split(new RegExp(`(?<!\\w)(${names.join("|")})(?!\\w)`)).map((part, i) => {
        if (i % 2 === 0 || seen.has(part)) return part;
        seen.add(part);
        return <Term key={part} name={part} />;
      })}
    </>
  );
}
