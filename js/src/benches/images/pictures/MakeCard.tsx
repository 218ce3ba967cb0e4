import { useState } from "preact/hooks";
import { LIMITS } from "../../../generated/images";
import { EndpointFields } from "../../../lib/bench/EndpointFields";
import { optionsOf, Select } from "../../../lib/ui/Controls";
import { NumberField } from "../../../lib/ui/NumberField";
import { TextField } from "../../../lib/ui/TextField";
import { type Kept, useKept } from "../../../lib/word-lists/kept";
import type { Store, View } from "../store";

interface Props {
  store: Store;
  view: View;
  /** What was typed before; never the key. */
  kept: Kept;
  onDone: () => void;
}

/** Pictures by a model: an endpoint, or a pipeline of this machine. */
export function MakeCard({ store, view, kept, onDone }: Props) {
  const { painters, prompts, images } = view;
  const [painter, setPainter] = useKept(kept, "painter", painters[0]?.key ?? "");
  const [style, setStyle] = useKept(kept, "style", prompts[0]?.key ?? "");
  const [base_url, setBase] = useKept(kept, "base_url", "");
  const [model, setModel] = useKept(kept, "model", "");
  const [count, setCount] = useKept(kept, "count", 4);
  const [term, setTerm] = useKept(kept, "term", "");
  const [key, setKey] = useState("");
  const now = painters.find((p) => p.key === painter);
  const ready = now !== undefined && model.trim() !== "";
  const make = () => {
    const to = now?.endpoint ? { base_url: base_url.trim(), key } : {};
    const terms = term ? { terms: [term] } : {};
    // It is on its way: nothing here holds it any longer.
    setKey("");
    const args = { painter, style, per_term: count, model: model.trim(), ...to, ...terms };
    void store.command("generate", args);
    onDone();
  };
  return (
    <form
      class="stack"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) make();
      }}
    >
      <Select
        label="Made by"
        testid="painter"
        value={painter}
        options={painters.map((p) => ({ value: p.key, label: p.name }))}
        onChange={setPainter}
      />
      <p class="quiet">{now?.about}</p>
      <TextField label="Model" testid="make-model" value={model} onInput={setModel} />
      {now?.endpoint && (
        <EndpointFields base={base_url} onBase={setBase} secret={key} onSecret={setKey} />
      )}
      <Select
        label="Asked for"
        testid="style"
        value={style}
        options={prompts.map((p) => ({ value: p.key, label: p.label }))}
        onChange={setStyle}
      />
      <p class="quiet">{prompts.find((p) => p.key === style)?.text}</p>
      <Select
        label="Of"
        testid="make-term"
        value={term}
        options={[
          { value: "", label: "all terms" },
          ...optionsOf(images.terms.map(({ name }) => name)),
        ]}
        onChange={setTerm}
      />
      <NumberField
        label="Pictures per term"
        testid="make-count"
        value={count}
        {...LIMITS.make_count}
        onChange={setCount}
      />
      <p class="quiet">They show the painter’s stereotypes too: a test measures both models.</p>
      <button type="submit" class="button primary" data-testid="make" disabled={!ready}>
        Make
      </button>
    </form>
  );
}
