import { useRef } from "preact/hooks";
import { Owners } from "../word-lists/Owners";
import type { OnCommand, TermMark, WordList } from "../word-lists/types";
import { WordLists } from "../word-lists/WordLists";
import { attributesOf, edited, groupsOf } from "./lists";
import { Predefined } from "./Predefined";
import type { TestedActions, TestedView } from "./tested";

export interface ListsView extends TestedView {
  inputs: TestedView["inputs"] & { lists: WordList[]; spec: string };
  marks: readonly TermMark[];
}

export interface ListsActions extends TestedActions {
  ask: OnCommand;
  set(changes: Partial<ListsView["inputs"]>): void;
}

interface Props {
  store: ListsActions;
  view: ListsView;
  title: string;
  /** Specs of the catalogue that are offered first: the beginning of their names. */
  predefined: { label: string; prefix: string };
  /** What becomes of a word that no model knows. */
  unknown: { one: string; several: string };
}

/** The lists of step 1: two groups, and the lists that are a stereotype of one of them. */
export function AskedLists({ store, view, title, predefined, unknown }: Props) {
  const { inputs, marks } = view;
  // The spec that was fetched last: the lists that come next are its own.
  const fetched = useRef("");
  return (
    <div class="asked-lists">
      <Predefined store={store} spec={inputs.spec} {...predefined} />
      <WordLists
        title={title}
        lists={inputs.lists}
        marks={marks}
        fate={{ unknown, twice: "It stays here, and counts once." }}
        onChange={(next) => {
          const now = edited(inputs.lists, next);
          const loaded = fetched.current;
          fetched.current = "";
          store.set({ lists: now.lists, ...(loaded ? { spec: loaded } : {}) });
          if (now.left.length > 0) store.notify(`Not used by this bench: ${now.left.join(", ")}.`);
        }}
        onCommand={async (name, args) => {
          const reply = await store.ask(name, args);
          if (name === "load-spec" && reply.ok) fetched.current = String(args?.name ?? "");
          return reply;
        }}
      />
      <Owners
        lists={attributesOf(inputs.lists)}
        groups={groupsOf(inputs.lists).map((list) => list.name)}
        onChange={(list, of) =>
          store.set({ lists: inputs.lists.map((l) => (l === list ? { ...l, of } : l)) })
        }
      />
    </div>
  );
}
