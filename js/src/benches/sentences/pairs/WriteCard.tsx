import { useState } from "preact/hooks";
import { LIMITS } from "../../../generated/sentences";
import { EndpointFields } from "../../../lib/bench/EndpointFields";
import { Select } from "../../../lib/ui/Controls";
import { NumberField } from "../../../lib/ui/NumberField";
import { TextField } from "../../../lib/ui/TextField";
import { type Kept, useKept } from "../../../lib/word-lists/kept";
import type { Store, View } from "../store";
import { emptyAttributes } from "./listing";

interface Props {
  store: Store;
  view: View;
  /** What was typed before; never the key. */
  kept: Kept;
  onDone: () => void;
}

/** Sentences by a model: an endpoint, or a causal model of this machine. */
export function WriteCard({ store, view, kept, onDone }: Props) {
  const { writers, prompt_styles: styles } = view;
  const [writer, setWriter] = useKept(kept, "writer", writers[0]?.key ?? "");
  const [style, setStyle] = useKept(kept, "style", styles[0]?.key ?? "plain");
  const [base_url, setBase] = useKept(kept, "base_url", "");
  const [model, setModel] = useKept(kept, "model", "");
  const [count, setCount] = useKept(kept, "count", 4);
  const [missing, setMissing] = useKept(kept, "missing", false);
  const [key, setKey] = useState("");
  const now = writers.find((w) => w.key === writer);
  const empty = emptyAttributes(view.sentences);
  const ready = now && (!now.endpoint || model.trim() !== "");
  const write = () => {
    const attributes = missing && empty.length > 0 ? { attributes: empty } : {};
    const to = now?.endpoint ? { base_url: base_url.trim(), model: model.trim(), key } : {};
    // It is on its way: nothing here holds it any longer.
    setKey("");
    void store.command("write", { writer, style, count, ...to, ...attributes });
    onDone();
  };
  if (writers.length === 0)
    return <p class="quiet">Nobody can write here: no endpoint and no causal model is offered.</p>;
  return (
    <form
      class="stack write-card"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) write();
      }}
    >
      <Select
        label="Written by"
        testid="writer"
        value={writer}
        options={writers.map((w) => ({ value: w.key, label: w.name }))}
        onChange={setWriter}
      />
      <p class="quiet">{now?.about}</p>
      {now?.endpoint && (
        <EndpointFields base={base_url} onBase={setBase} secret={key} onSecret={setKey}>
          <TextField label="Model" testid="write-model" value={model} onInput={setModel} />
        </EndpointFields>
      )}
      <Select
        label="Asked"
        testid="style"
        value={style}
        options={styles.map((s) => ({ value: s.key, label: s.label }))}
        onChange={setStyle}
      />
      <p class="quiet">{styles.find((s) => s.key === style)?.text}</p>
      <NumberField
        label="Sentences per attribute"
        testid="write-count"
        value={count}
        {...LIMITS.write_count}
        onChange={setCount}
      />
      {empty.length > 0 && (
        <label class="tick-box">
          <input
            type="checkbox"
            checked={missing}
            onChange={(event) => setMissing(event.currentTarget.checked)}
          />
          only for the {empty.length} attributes without any
        </label>
      )}
      <button type="submit" class="button primary" data-testid="write" disabled={!ready}>
        Write
      </button>
    </form>
  );
}
