import { useEffect, useRef, useState } from "preact/hooks";
import { Disclosure } from "../../lib/ui/Disclosure";
import type { Memory } from "../../lib/word-lists/props";
import type { Fate } from "../../lib/word-lists/types";
import { WordLists } from "../../lib/word-lists/WordLists";
import type { Store, View } from "./store";

const LABEL = "Words to step through";
const FATE: Fate = {
  unknown: {
    one: "It stays, and cannot be asked about.",
    several: "They stay, and cannot be asked about.",
  },
  twice: "It stays here, and is stepped to once.",
};

/** A button that opens the list which the up and down keys step through. */
export function EditWords({ store, view }: { store: Store; view: View }) {
  // What was done in the card can be undone when it is opened again.
  const [memory] = useState<Memory>({});
  return (
    <Disclosure
      label={LABEL}
      text={
        <>
          Edit list<span class="visually-hidden"> of words to step through</span>
        </>
      }
      testid="edit-words"
      class="edit-words"
    >
      {() => <Card store={store} view={view} memory={memory} />}
    </Disclosure>
  );
}

function Card({ store, view, memory }: { store: Store; view: View; memory: Memory }) {
  const inside = useRef<HTMLDivElement>(null);
  useEffect(() => inside.current?.querySelector<HTMLElement>(".add")?.focus(), []);
  return (
    <div ref={inside}>
      <WordLists
        title={LABEL}
        fixed
        compact
        fate={FATE}
        memory={memory}
        lists={[{ name: LABEL, terms: view.inputs.words, kind: "items" }]}
        marks={view.marks}
        onChange={([list]) => store.set({ words: list?.terms ?? [] })}
        onCommand={(name, args) => store.command(name, args)}
      />
    </div>
  );
}
