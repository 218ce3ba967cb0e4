import { useEffect, useState } from "preact/hooks";
import { Select } from "../../../lib/ui/Controls";
import type { CatalogueEntry } from "../../../lib/word-lists/types";
import type { Store, View } from "../store";
import { edited } from "./lists";

const PREFIX = "biastest-";

/** The predefined biases of BiasTestGPT; the word lists' own Load has the whole catalogue. */
export function Predefined({ store, view }: { store: Store; view: View }) {
  const [entries, setEntries] = useState<CatalogueEntry[]>([]);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    store.ask("catalogue").then((reply) => {
      if (reply.ok && reply.content) setEntries(JSON.parse(reply.content).entries);
      else setProblem(reply.message);
    });
  }, [store]);
  const offered = entries.filter((e) => e.name.startsWith(PREFIX) && !e.problem);
  const { spec } = view.inputs;
  const other = spec && !offered.some((e) => e.name === spec);
  const load = async (name: string) => {
    if (!name) return;
    const reply = await store.ask("load-spec", { name, where: "predefined" });
    const loaded = reply.ok && reply.content ? JSON.parse(reply.content).lists : [];
    if (loaded.length === 0) return setProblem(reply.ok ? "It has no lists." : reply.message);
    setProblem("");
    store.set({ lists: edited([], loaded).lists, spec: name });
  };
  return (
    <div class="predefined">
      <Select
        label="Predefined bias"
        testid="predefined"
        value={spec}
        options={[
          { value: "", label: "lists of my own" },
          ...(other ? [{ value: spec, label: spec }] : []),
          ...offered.map((e) => ({ value: e.name, label: e.title || e.name })),
        ]}
        onChange={load}
      />
      {problem && (
        <p class="problem-line" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
