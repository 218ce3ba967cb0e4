import { useMemo } from "preact/hooks";
import { suggestionActions } from "../../lib/bench/Verdict";
import { Combobox } from "../../lib/ui/Combobox";
import { rowsOf, type Store, type View } from "./store";

/** Finds any word of the subject; those on the screen complete it. */
export function Search({ store, view }: { store: Store; view: View }) {
  const { inputs, answer } = view;
  const { picture, unknown } = answer;
  const known = useMemo(() => wordsOf(view), [picture?.words, picture?.plane, inputs.lists]);
  const shown = useMemo(() => rowsOf(picture?.words ?? null), [picture?.words]);
  const missing = unknown && unknown.term === inputs.word ? unknown : null;
  const lost = !view.waiting && inputs.word !== "" && picture?.words && !picture.words.picked;
  const step = (by: -1 | 1) => {
    if (shown.length === 0) return;
    const now = shown.findIndex((row) => row.word === inputs.word);
    const to = now < 0 ? (by > 0 ? 0 : shown.length - 1) : (now + by + shown.length) % shown.length;
    store.set({ word: shown[to]!.word });
  };
  return (
    <div class="mini search">
      <svg class="glass" viewBox="0 0 12 12" aria-hidden="true">
        <circle cx="5" cy="5" r="3.5" />
        <path d="m8 8 3 3" />
      </svg>
      <Combobox
        {...store.input("word")}
        label="Search a word"
        options={known}
        placeholder="Search a word"
        problem={missing?.reason || (lost ? "not known to this subject" : undefined)}
        help={
          missing && missing.suggestions.length > 0 ? (
            <div class="suggestions">
              {suggestionActions(missing.suggestions).map((action) => (
                <button
                  key={action.label}
                  type="button"
                  class="button"
                  data-testid="suggestion"
                  onClick={() => store.act(action)}
                >
                  {action.label}
                </button>
              ))}
            </div>
          ) : undefined
        }
        onStep={step}
      />
    </div>
  );
}

function wordsOf({ answer, inputs }: View): string[] {
  const { picture } = answer;
  return [
    ...new Set([
      ...rowsOf(picture?.words ?? null).map((row) => row.word),
      ...(picture?.plane?.words ?? []).map((word) => word.word),
      ...inputs.lists.flatMap((list) => list.terms),
    ]),
  ];
}
