import { useCallback, useRef, useState } from "preact/hooks";
import { Segmented } from "../../lib/ui/Controls";
import { Chevron, Swap } from "../../lib/ui/Icons";
import { Popover } from "../../lib/ui/Popover";
import type { Store, View } from "./store";

const PAIRS_AS = [
  { value: "resampled", label: "A sample" },
  { value: "fixed", label: "All there is" },
] as const;

/** Which cues make the stimulus: one pair, or several pooled; any order; own ones too. */
export function PairPicker({ store, view }: { store: Store; view: View }) {
  const { pairs, selected_pairs: selected } = view.inputs;
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => setOpen(false), []);
  const shown = pairs[selected[0] ?? 0] ?? ["cue 1", "cue 2"];
  const pooled = selected.length > 1;
  return (
    <div class="control pairs">
      <div class="control-head">
        <span>{pooled ? "Cue pairs" : "Cue pair"}</span>
        <span class="aside quiet nowrap" data-testid="pair-count">
          {pooled
            ? `${selected.length} of ${pairs.length}, pooled`
            : `${(selected[0] ?? 0) + 1} of ${pairs.length}`}
        </span>
      </div>
      <div class="pair in-line">
        <span class="chip c1" title={shown[0]}>
          {shown[0]}
        </span>
        <button
          type="button"
          class="icon"
          aria-label="Swap the two cues"
          title="Swap the two cues"
          data-testid="swap-cues"
          onClick={() => store.set(swapped(view))}
        >
          <Swap />
        </button>
        <span class="chip c2" title={shown[1]}>
          {shown[1]}
        </span>
        <button
          ref={opener}
          type="button"
          class="icon open"
          aria-label="Choose cue pairs"
          aria-expanded={open}
          data-testid="pair-picker"
          onClick={() => setOpen(!open)}
        >
          <Chevron />
        </button>
      </div>
      {open && (
        <Popover label="Cue pairs" testid="pair-list" opener={opener} onClose={close}>
          <PairList store={store} view={view} />
        </Popover>
      )}
    </div>
  );
}

/** All pairs turned round; the stimulus stays the same blend. */
export function swapped({ inputs }: View) {
  return {
    pairs: inputs.pairs.map(([a, b]): [string, string] => [b, a]),
    alpha: Math.round((1 - inputs.alpha) * 10000) / 10000,
  };
}

function PairList({ store, view }: { store: Store; view: View }) {
  const { pairs, selected_pairs: selected } = view.inputs;
  const all = selected.length === pairs.length;
  const toggle = (index: number) => {
    const without = selected.filter((i) => i !== index);
    const next = without.length === selected.length ? [...selected, index] : without;
    // At least one pair is always asked.
    if (next.length > 0) store.set({ selected_pairs: next.sort((a, b) => a - b) });
  };
  return (
    <div class="stack">
      <div class="pair-rows">
        {pairs.map(([a, b], i) => (
          <div class="pair-row" key={`${i}-${a}-${b}`}>
            <label>
              <input
                type="checkbox"
                checked={selected.includes(i)}
                data-testid={`pair-${i}`}
                onChange={() => toggle(i)}
              />
              <span class="g1">{a}</span>
              <span class="quiet">–</span>
              <span class="g2">{b}</span>
            </label>
            <button
              type="button"
              class="button plain only"
              aria-label={`Only ${a} and ${b}`}
              data-testid={`pair-only-${i}`}
              onClick={() => store.set({ selected_pairs: [i] })}
            >
              only
            </button>
          </div>
        ))}
      </div>
      <button
        type="button"
        class="button"
        data-testid="pairs-all"
        disabled={all}
        onClick={() => store.set({ selected_pairs: pairs.map((_, i) => i) })}
      >
        Pool all {pairs.length} pairs
      </button>
      {selected.length > 1 && (
        <Segmented {...store.input("pairs_as")} label="Pooled pairs are" options={PAIRS_AS} />
      )}
      <OwnPair store={store} view={view} />
    </div>
  );
}

function OwnPair({ store, view }: { store: Store; view: View }) {
  const [cue1, setCue1] = useState("");
  const [cue2, setCue2] = useState("");
  const a = cue1.trim();
  const b = cue2.trim();
  const add = () => {
    if (!a || !b || a === b) return;
    const { pairs } = view.inputs;
    const known = pairs.findIndex(([x, y]) => x === a && y === b);
    if (known >= 0) store.set({ selected_pairs: [known] });
    else store.set({ pairs: [...pairs, [a, b]], selected_pairs: [pairs.length] });
    setCue1("");
    setCue2("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  };
  return (
    <div class="own-pair">
      <input
        class="field"
        aria-label="Own cue 1"
        placeholder="own cue 1"
        maxLength={200}
        data-testid="own-cue-1"
        value={cue1}
        onInput={(e) => setCue1(e.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <input
        class="field"
        aria-label="Own cue 2"
        placeholder="own cue 2"
        maxLength={200}
        data-testid="own-cue-2"
        value={cue2}
        onInput={(e) => setCue2(e.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button
        type="button"
        class="button"
        data-testid="own-pair-add"
        disabled={!a || !b || a === b}
        onClick={add}
      >
        Add
      </button>
    </div>
  );
}
