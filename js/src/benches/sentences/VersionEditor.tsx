import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Store } from "./store";

interface Props {
  store: Store;
  pair: string;
  version: "stereotyped" | "against";
  text: string;
  label: string;
  /** Begins with the focus in it. */
  first?: boolean;
  onDone: () => void;
}

/** A version as text: Enter saves, Esc leaves; what cannot be saved stays, with the reason. */
export function VersionEditor({ store, pair, version, text, label, first, onDone }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useState(text);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  useLayoutEffect(() => {
    if (!first) return;
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, []);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [draft]);
  const save = async () => {
    // As it is now: Enter can come before the last letter is drawn.
    const clean = field.current!.value.replace(/\s+/g, " ").trim();
    if (clean === text) return onDone();
    setBusy(true);
    const reply = await store.ask("edit", { pair, version, text: clean });
    setBusy(false);
    if (!reply.ok) return setProblem(reply.message);
    store.notify(reply.message);
    onDone();
  };
  return (
    <div class="version-editor">
      <textarea
        ref={field}
        class="field"
        rows={1}
        dir="auto"
        aria-label={label}
        aria-invalid={problem !== ""}
        aria-busy={busy}
        data-testid={`edit-${version}`}
        value={draft}
        onInput={(event) => {
          setDraft(event.currentTarget.value);
          setProblem("");
        }}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") onDone();
          else if (event.key === "Enter" && !event.isComposing) {
            event.preventDefault();
            void save();
          }
        }}
      />
      {problem ? (
        <p class="bad" role="alert" data-testid="edit-problem">
          {problem}
        </p>
      ) : (
        <p class="quiet t11">
          <kbd>Enter</kbd> saves, <kbd>Esc</kbd> leaves it as it was
        </p>
      )}
    </div>
  );
}
