import { useState } from "preact/hooks";
import { many } from "../../../lib/format";
import { type Kept, useKept } from "../../../lib/word-lists/kept";
import type { Store } from "../store";

/** Sentences of one's own, one a line; what cannot be used stays here with the reason. */
export function AddCard({ store, kept, onDone }: { store: Store; kept: Kept; onDone: () => void }) {
  const [text, setText] = useKept(kept, "text", "");
  const [problem, setProblem] = useState("");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const add = async () => {
    const reply = await store.command("add", { text });
    if (!reply.ok) return setProblem(reply.message);
    setText("");
    kept.delete("text");
    onDone();
  };
  return (
    <div class="stack">
      <textarea
        class="field own-text"
        rows={6}
        dir="auto"
        aria-label="Sentences, one per line"
        placeholder={"One sentence per line, each with one group’s term and one attribute"}
        data-testid="own-text"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setProblem("");
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void add();
        }}
      />
      {problem && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      <button
        type="button"
        class="button primary"
        data-testid="own-add"
        disabled={lines.length === 0}
        onClick={() => void add()}
      >
        {lines.length > 0 ? `Add ${many(lines.length, "sentence")}` : "Add"}
      </button>
    </div>
  );
}
