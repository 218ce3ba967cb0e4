import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { Model } from "./model";

interface Props {
  model: Model;
  index: number;
  label: string;
  field: RefObject<HTMLInputElement | null>;
}

const MANY_LINES = /[\n\r\t\u2028\u2029]/;

/** Adds terms: Enter, a comma or a semicolon ends one; a pasted column becomes several. */
export function AddField({ model, index, label, field }: Props) {
  const [draft, setDraft] = useState("");
  const add = (text: string) => {
    const kept = model.addText(index, text);
    if (kept) setDraft("");
    return kept;
  };
  const type = (text: string) => {
    // A comma inside "quotes" is the term's own.
    const open = (text.match(/"/g)?.length ?? 0) % 2 === 1;
    const end = Math.max(text.lastIndexOf(","), text.lastIndexOf(";"));
    if (end < 0 || open) return setDraft(text.trimStart());
    if (!text.slice(0, end).trim() || add(text.slice(0, end)))
      setDraft(text.slice(end + 1).trimStart());
    else setDraft(text);
  };
  return (
    <input
      ref={field}
      class="field add"
      type="text"
      dir="auto"
      placeholder="add a word"
      aria-label={label}
      data-testid="add-word"
      autocomplete="off"
      autocapitalize="off"
      enterkeyhint="done"
      spellcheck={false}
      value={draft}
      onFocus={() => model.enter(index)}
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && !event.isComposing) {
          event.preventDefault();
          if (event.currentTarget.value.trim()) add(event.currentTarget.value);
        } else if (event.key === "Escape" && draft) {
          event.stopPropagation();
          setDraft("");
        }
      }}
      onPaste={(event) => {
        const text = event.clipboardData?.getData("text/plain") ?? "";
        if (!MANY_LINES.test(text.trim()) && text.length < 1000) return;
        event.preventDefault();
        add(text);
      }}
      onBlur={() => {
        if (draft.trim()) add(draft);
      }}
    />
  );
}
