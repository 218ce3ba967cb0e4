import { useCallback, useRef, useState } from "preact/hooks";
import type { WordList } from "../../generated/shared";
import { whole } from "../../lib/format";
import { Popover } from "../../lib/ui/Popover";
import { Owners } from "../../lib/word-lists/Owners";
import { WordLists } from "../../lib/word-lists/WordLists";
import {
  countText,
  type Edited,
  edited,
  fromSpec,
  listsOf,
  marksOf,
  PARTS,
  type Part,
} from "./parts";
import type { Store, View } from "./store";

/** Specs that are loaded with one press; the word lists' own button has the whole catalogue. */
const PRESETS = [
  { name: "manzini-religion", label: "Religions" },
  { name: "manzini-race", label: "Races" },
  { name: "manzini-gender", label: "Genders" },
  { name: "weat-1", label: "Flowers and insects" },
  { name: "weat-6", label: "Careers and families" },
] as const;

/** The lists in a line of what each holds; each opens a card with its editor. */
export function Lists({ store, view }: { store: Store; view: View }) {
  const [open, setOpen] = useState<Part | null>(null);
  const close = useCallback(() => setOpen(null), []);
  return (
    <div class="lists-row" role="group" aria-label="Word lists">
      {PARTS.map(({ part, title }) => (
        <Summary
          key={part}
          store={store}
          view={view}
          part={part}
          title={title}
          open={open === part}
          onOpen={() => setOpen(open === part ? null : part)}
          onClose={close}
        />
      ))}
    </div>
  );
}

interface SummaryProps {
  store: Store;
  view: View;
  part: Part;
  title: string;
  open: boolean;
  onOpen: () => void;
  onClose: () => void;
}

function Summary({ store, view, part, title, open, onOpen, onClose }: SummaryProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const lists = listsOf(view.inputs.lists, part);
  const marks = marksOf(view.inputs.lists, view.marks, part);
  const unknown = marks.filter((m) => m.kind === "unknown").length;
  const count = countText(part, lists, unknown);
  return (
    <div class={`summary ${open ? "open" : ""}`}>
      <button
        ref={opener}
        type="button"
        class="summary-button"
        aria-expanded={open}
        data-testid={`list-${part}`}
        onClick={onOpen}
      >
        <span class="spread t12">
          <b>{title}</b>
          <span class={`quiet t11 ellipsis ${unknown > 0 ? "warn-text" : ""}`} title={count}>
            {count}
          </span>
        </span>
        <span class="summary-words">
          <Words lists={lists} />
        </span>
      </button>
      {open && (
        <Popover label={title} testid={`list-${part}-card`} opener={opener} onClose={onClose}>
          <Card store={store} view={view} part={part} title={title} />
        </Popover>
      )}
    </div>
  );
}

const SHOWN = 2;

function Words({ lists }: { lists: readonly WordList[] }) {
  const words = lists.flatMap((list) => list.terms);
  if (words.length === 0) return <span class="quiet">none: add words here</span>;
  // Of several lists the first words of each tell more.
  const first = lists.length > 1 ? lists.flatMap((list) => list.terms.slice(0, 1)) : words;
  const shown = first.slice(0, SHOWN);
  const more = words.length - shown.length;
  return (
    <>
      {shown.map((word) => (
        <bdi key={word} class="word-chip ellipsis" title={word}>
          {word}
        </bdi>
      ))}
      {more > 0 && <span class="word-chip more ellipsis">+{whole(more)}</span>}
    </>
  );
}

interface CardProps {
  store: Store;
  view: View;
  part: Part;
  title: string;
}

function Card({ store, view, part, title }: CardProps) {
  const { inputs, marks } = view;
  const lists = listsOf(inputs.lists, part);
  const take = ({ lists: next, left }: Edited) => {
    store.set({ lists: next, weat_groups: [], weat_attributes: [] });
    if (left.length > 0) store.notify(`Not used by this bench: ${left.join(", ")}.`);
  };
  return (
    <div class="stack">
      {part === "groups" && <Presets store={store} onLoaded={(spec) => take(fromSpec(spec))} />}
      <WordLists
        title={title}
        compact
        fixed={part === "human" || part === "neutral"}
        lists={lists}
        marks={marksOf(inputs.lists, marks, part)}
        onChange={(next) => {
          const now = edited(inputs.lists, part, next);
          const same = sameNames(inputs.lists, now.lists);
          if (same && now.left.length === 0) store.set({ lists: now.lists });
          else take(now);
        }}
        onCommand={(name, args) => store.command(name, args)}
      />
      {part === "stereotypes" && (
        <Owners
          lists={lists}
          groups={listsOf(inputs.lists, "groups").map((list) => list.name)}
          onChange={(list, of) =>
            store.set({ lists: inputs.lists.map((l) => (l === list ? { ...l, of } : l)) })
          }
        />
      )}
    </div>
  );
}

const sameNames = (a: readonly WordList[], b: readonly WordList[]) =>
  a.length === b.length && a.every((list, i) => list.name === b[i]!.name);

function Presets({ store, onLoaded }: { store: Store; onLoaded: (lists: WordList[]) => void }) {
  const [problem, setProblem] = useState("");
  const load = async (name: string) => {
    const reply = await store.command("load-spec", { name, where: "predefined" });
    const loaded = reply.ok && reply.content ? JSON.parse(reply.content).lists : [];
    if (loaded.length === 0) return setProblem(reply.ok ? "It has no lists." : reply.message);
    setProblem("");
    onLoaded(loaded);
  };
  return (
    <>
      <div class="presets wrap-row" role="group" aria-label="Load all lists of a spec">
        {PRESETS.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            class="button"
            data-testid={`preset-${name}`}
            onClick={() => load(name)}
          >
            {label}
          </button>
        ))}
      </div>
      {problem && (
        <p class="problem-line" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
