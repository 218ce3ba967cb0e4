import { useState } from "preact/hooks";
import { type Kept, useKept } from "./kept";
import type { Model, View } from "./model";
import type { OnCommand } from "./types";

interface Props {
  model: Model;
  view: View;
  kept: Kept;
  onCommand: OnCommand;
  onDone: () => void;
}

/** Saves the lists as a spec of one's own, which the catalogue then offers. */
export function SaveCard({ model, view, kept, onCommand, onDone }: Props) {
  const [form, setForm] = useKept(kept, "save", { name: "", title: "", source: "", notes: "" });
  const [overwrite, setOverwrite] = useState(false);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const complete = form.name.trim() && form.title.trim() && form.source.trim();
  const save = async () => {
    setBusy(true);
    // The lists travel along: what is on the screen is what is saved.
    const reply = await onCommand("save-spec", { ...form, overwrite, lists: view.lists });
    setBusy(false);
    if (!reply.ok) return setProblem(reply.message);
    model.tell(reply.message);
    onDone();
  };
  const text = (name: keyof typeof form, label: string, hint: string) => (
    <label class="save-field">
      <span class="quiet">{label}</span>
      <input
        class="field"
        type="text"
        dir="auto"
        maxLength={500}
        placeholder={hint}
        data-testid={`save-${name}`}
        value={form[name]}
        onInput={(event) => {
          setForm({ ...form, [name]: event.currentTarget.value });
          setProblem("");
        }}
      />
    </label>
  );
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete && !busy) void save();
      }}
    >
      {text("name", "Name", "care-and-command")}
      {text("title", "Title", "one line for people")}
      {text("source", "Source", "where the words come from")}
      {text("notes", "Notes", "may be empty")}
      <label class="check">
        <input
          type="checkbox"
          checked={overwrite}
          data-testid="save-overwrite"
          onChange={(event) => setOverwrite(event.currentTarget.checked)}
        />
        Replace my lists of this name, if there are any
      </label>
      <p class="bad" role="alert" data-testid="save-problem">
        {problem}
      </p>
      <div class="buttons wrap-row">
        <button
          type="submit"
          class="button first"
          data-testid="save-spec"
          disabled={!complete}
          aria-disabled={busy}
        >
          Save {view.lists.length === 1 ? "the list" : `${view.lists.length} lists`}
        </button>
      </div>
    </form>
  );
}
