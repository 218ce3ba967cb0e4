import { WordLists } from "../../lib/word-lists/WordLists";
import type { Store, View } from "./store";

/** The words asked about: an edit refits at once. */
export function Words({ store, view }: { store: Store; view: View }) {
  const { inputs, marks } = view;
  return (
    <div class="panel words-panel">
      <WordLists
        title="Words"
        fixed
        compact
        lists={[{ name: "Words", terms: inputs.words, kind: "items" }]}
        marks={marks.filter((m) => m.list === 0)}
        onChange={([list]) => store.set({ words: list?.terms ?? [] })}
        onCommand={(name, args) => store.command(name, args)}
      />
    </div>
  );
}
