import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Mount } from "../../host";
import { How } from "../../lib/bench/How";
import { usePainted, useView } from "../../lib/bench/hooks";
import { Question } from "../../lib/bench/Question";
import { SubjectSelect } from "../../lib/bench/SubjectSelect";
import { Verdict } from "../../lib/bench/Verdict";
import { many, whole } from "../../lib/format";
import { useLasting, useWidth } from "../../lib/hooks";
import type { Theme } from "../../lib/theme";
import { total } from "../../lib/word-lists/edits";
import type { WordList } from "../../lib/word-lists/types";
import { WordLists } from "../../lib/word-lists/WordLists";
import { Library } from "./Library";
import { type Store, type View, wellFormed } from "./store";

const NARROW = 560;

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

/** The editor as a bench of its own: which subject's vocabulary, and the lists. */
export function Editor({ store, onTheme }: Props) {
  const root = useRef<HTMLElement>(null);
  const [theme, setTheme] = useState<Theme>("light");
  const view = useView(store);
  const width = useWidth(root, 960);
  useLayoutEffect(() => onTheme(setTheme), [onTheme]);
  usePainted(root, view.answer.generation, view.answer);
  const { inputs, subjects, answer } = view;
  const lists = useMemo(() => wellFormed(inputs.lists), [inputs.lists]);
  const change = useCallback((next: WordList[]) => store.set({ lists: next }), [store]);
  const command = useCallback(
    (name: string, args?: Record<string, unknown>) => store.command(name, args),
    [store],
  );
  const troubled = answer.state === "error" || answer.state === "loading" || view.overdue;
  // Who brings lists comes to edit them; others find the library open.
  const isEmpty = total(lists) === 0;
  const [open, setOpen] = useState(isEmpty);
  useLayoutEffect(() => {
    if (isEmpty) setOpen(true);
  }, [isEmpty]);
  const slow = useLasting(answer.state === "loading", 300);

  return (
    <article
      ref={root}
      class={`bench ${width < NARROW ? "narrow small" : "wide"}`}
      data-testid="bench"
      data-theme={theme}
      data-state={answer.state}
      data-waiting={view.waiting ? "" : undefined}
      aria-label="Word lists"
    >
      <header class="head">
        <div class="head-words">
          <div>
            <span class="quiet t12">Word lists</span>
            <Question>Which words describe each group?</Question>
            <p class="caveat" data-testid="summary">
              {summary(view, lists)}
            </p>
          </div>
          {view.library.length > 0 && (
            <button
              type="button"
              class="button"
              aria-expanded={open}
              data-testid="library-open"
              onClick={() => setOpen(!open)}
            >
              Library
            </button>
          )}
          {subjects.length > 0 && (
            <SubjectSelect {...store.input("subject")} view={view} testid="subject-select" />
          )}
        </div>
      </header>
      {troubled && answer.message && (slow || answer.state === "error") && (
        <div class="trouble">
          <Verdict store={store} view={view} />
        </div>
      )}
      {view.overdue && (
        <p class="trouble late" role="status" data-testid="overdue">
          No answer yet. If the server or the kernel has stopped, start it again; your lists are
          kept.
        </p>
      )}
      {open && <Library store={store} view={view} />}
      <div class="body">
        <WordLists
          title="Lists on the screen"
          womenBlue
          lists={lists}
          marks={answer.marks}
          fixed={inputs.fixed}
          onChange={change}
          onCommand={command}
        />
      </div>
      <How store={store} view={view} />
    </article>
  );
}

function summary({ inputs, answer, library }: View, lists: readonly WordList[]): string {
  const n = total(lists);
  const places = lists.length === 1 ? "" : ` in ${many(lists.length, "list")}`;
  const unknown = new Set(answer.marks.filter((m) => m.kind === "unknown").map((m) => m.term)).size;
  const known = inputs.subject
    ? unknown === 0
      ? `; ${inputs.subject} knows ${n === 1 ? "it" : "them all"}`
      : `; ${inputs.subject} does not know ${whole(unknown)}`
    : "";
  return n === 0
    ? library.length > 0
      ? `${many(library.length, "word list")} to use, edit or export.`
      : "There are no words yet."
    : `${n === 1 ? "1 term" : `${whole(n)} terms`}${places}${known}.`;
}
