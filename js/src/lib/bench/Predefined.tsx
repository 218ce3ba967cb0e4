import { useEffect, useState } from "preact/hooks";
import { Select } from "../ui/Controls";
import type { CatalogueEntry, OnCommand, WordList } from "../word-lists/types";
import { edited } from "./lists";

interface Props {
  store: { ask: OnCommand; set(changes: { lists: WordList[]; spec: string }): void };
  /** The spec that the lists came from. */
  spec: string;
  label: string;
  /** What the names of those offered begin with. */
  prefix: string;
}

/** The specs that a bench offers first; the word lists' own Load has the whole catalogue. */
export function Predefined({ store, spec, label, prefix }: Props) {
  const [entries, setEntries] = useState<CatalogueEntry[]>([]);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    store.ask("catalogue").then((reply) => {
      if (reply.ok && reply.content) setEntries(JSON.parse(reply.content).entries);
      else setProblem(reply.message);
    });
  }, [store]);
  const offered = entries.filter((e) => e.name.startsWith(prefix) && !e.problem);
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
        label={label}
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
