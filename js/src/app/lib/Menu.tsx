/** A button that unfolds a panel; Escape and a click elsewhere fold it again. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Menu({ label, children }: { label: string; children: ComponentChildren }) {
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const outside = (event: Event) => {
      if (ref.current && !ref.current.contains(event.target as Node)) ref.current.open = false;
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !ref.current?.open) return;
    event.stopPropagation();
    ref.current.open = false;
    ref.current.querySelector("summary")?.focus();
  };
  return (
    <details class="menu-of" ref={ref} onKeyDown={onKeyDown}>
      <summary class="button">{label}</summary>
      <div>{children}</div>
    </details>
  );
}
