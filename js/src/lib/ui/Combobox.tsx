import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useUid } from "../uid";
import { Head } from "./Controls";

interface Props {
  label: string;
  testid: string;
  value: string;
  /** Words to choose from; those that match what is typed are listed. */
  options: readonly string[];
  placeholder?: string;
  aside?: ComponentChildren;
  /** Marks the word as invalid, with the reason under it. */
  problem?: string;
  /** Stands in the floating card while the field has focus and the word has a problem. */
  help?: ComponentChildren;
  onChange: (value: string) => void;
  onStep: (by: -1 | 1) => void;
}

/** Pause in typing after which a word counts, in milliseconds. */
const PAUSE = 250;
/** The same while the list offers to complete it. */
const LONG_PAUSE = 1000;
const LISTED = 8;

/** A text field that takes any word, lists known ones, and steps through them. */
export function Combobox(props: Props) {
  const id = useUid();
  const [draft, setDraft] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const [focused, setFocused] = useState(false);
  const [active, setActive] = useState(-1);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);

  const typed = (draft ?? "").trim().toLowerCase();
  const matching = open && typed ? matches(props.options, typed) : [];

  const commit = (word: string) => {
    clearTimeout(timer.current);
    setDraft(null);
    setOpen(false);
    setActive(-1);
    if (word.trim() !== props.value) props.onChange(word.trim());
  };
  const type = (text: string) => {
    setDraft(text);
    setOpen(true);
    setActive(-1);
    clearTimeout(timer.current);
    const word = text.trim();
    const unfinished = matches(props.options, word.toLowerCase()).length > 0;
    const pause = unfinished && !props.options.includes(word) ? LONG_PAUSE : PAUSE;
    timer.current = window.setTimeout(() => props.onChange(word), pause);
  };
  const key = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by && matching.length > 0) setActive((active + by + matching.length) % matching.length);
    else if (by) step(by as -1 | 1);
    else if (event.key === "Enter") commit(matching[active] ?? draft ?? props.value);
    else if (event.key === "Escape" && open) setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const step = (by: -1 | 1) => {
    clearTimeout(timer.current);
    setDraft(null);
    props.onStep(by);
  };

  return (
    <div
      class="control"
      onFocusIn={() => setFocused(true)}
      onFocusOut={(e) => {
        if (!e.currentTarget.contains(e.relatedTarget as Node | null)) setFocused(false);
      }}
    >
      <Head
        id={id}
        label={props.label}
        aside={<span class="aside quiet nowrap">{props.aside}</span>}
      />
      <div class="combobox">
        <input
          id={id}
          class="field"
          type="text"
          role="combobox"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={200}
          data-testid={props.testid}
          placeholder={props.placeholder}
          value={draft ?? props.value}
          title={draft ?? props.value}
          aria-autocomplete="list"
          aria-expanded={matching.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          aria-invalid={props.problem ? "true" : undefined}
          aria-describedby={`${id}-problem`}
          onInput={(e) => type(e.currentTarget.value)}
          onKeyDown={key}
          onFocus={(e) => e.currentTarget.select()}
          onBlur={() => {
            if (draft !== null) commit(draft);
          }}
        />
        <span class="steps">
          {([-1, 1] as const).map((by) => (
            <button
              key={by}
              type="button"
              class="step"
              tabIndex={-1}
              aria-label={by < 0 ? "Previous word" : "Next word"}
              data-testid={by < 0 ? "word-previous" : "word-next"}
              onPointerDown={(e) => e.preventDefault()}
              onClick={() => step(by)}
            >
              {by < 0 ? "↑" : "↓"}
            </button>
          ))}
        </span>
      </div>
      <div id={`${id}-problem`} class="problem" data-testid="word-problem" title={props.problem}>
        {props.problem}
      </div>
      {matching.length > 0 && (
        <div id={`${id}-list`} class="popover options" role="listbox" aria-label={props.label}>
          {matching.map((word, i) => (
            <div
              key={word}
              id={`${id}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === active}
              onPointerDown={(e) => {
                e.preventDefault();
                commit(word);
              }}
            >
              {word}
            </div>
          ))}
        </div>
      )}
      {focused && matching.length === 0 && props.problem && props.help && (
        <div class="popover">{props.help}</div>
      )}
    </div>
  );
}

/** Words that start with what is typed, then those that contain it. */
export function matches(words: readonly string[], typed: string): string[] {
  const starts: string[] = [];
  const within: string[] = [];
  for (const word of words) {
    const at = word.toLowerCase().indexOf(typed);
    if (at === 0) starts.push(word);
    else if (at > 0) within.push(word);
  }
  const matching = [...new Set([...starts, ...within])].slice(0, LISTED);
  return matching.length === 1 && matching[0]!.toLowerCase() === typed ? [] : matching;
}
