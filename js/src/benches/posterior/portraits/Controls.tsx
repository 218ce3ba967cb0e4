import { Seed } from "../../../lib/bench/LevelAndSeed";
import { SubjectSelect } from "../../../lib/bench/SubjectSelect";
import { many } from "../../../lib/format";
import { Combobox } from "../../../lib/ui/Combobox";
import { optionsOf, Segmented, Select } from "../../../lib/ui/Controls";
import { NumberField } from "../../../lib/ui/NumberField";
import { RunControl, Space } from "../Settings";
import type { Store, View } from "../store";
import { wordOf } from "./portraits";

const SHOWN = [
  { value: "one", label: "One" },
  { value: "both", label: "Both" },
] as const;

interface Props {
  store: Store;
  view: View;
}

/** Whose faces are imagined, for which words, in which clothes. */
export function PortraitSettings({ store, view }: Props) {
  const { inputs, wardrobe } = view;
  const clothes = wardrobe.length > 0 ? wardrobe : [inputs.clothes];
  return (
    <div class="settings for-portraits" role="group" aria-label="Settings">
      <SubjectSelect {...store.input("subject")} view={view} />
      <Space store={store} />
      <Word store={store} view={view} name="word" label="Word" />
      <Word store={store} view={view} name="other" label="Rather than" />
      <Segmented {...store.input("show")} label="Show" options={SHOWN} />
      <Select {...store.input("clothes")} label="Clothes" options={optionsOf(clothes)} />
      <RunControl
        store={store}
        view={view}
        text={`${many(inputs.portrait_chains, "chain")}, ${many(inputs.portrait_draws, "draw")} each`}
      >
        {() => (
          <div class="numbers-row">
            <NumberField {...store.input("portrait_chains")} label="Chains" />
            <NumberField {...store.input("portrait_draws")} label="Draws each" />
            <Seed {...store.input("seed")} />
          </div>
        )}
      </RunControl>
    </div>
  );
}

/** Clothes of no occupation. */
const EVERYDAY = "pullover";

interface WordProps extends Props {
  name: "word" | "other";
  label: string;
}

/** Any word; those that clothes are known of complete it, and the arrow keys go through them. */
function Word({ store, view, name, label }: WordProps) {
  const known = view.wardrobe.filter((word) => word !== EVERYDAY);
  const value = name === "word" ? wordOf(view) : view.inputs.other;
  const step = (by: -1 | 1) => {
    const next = known[(known.indexOf(value) + by + known.length) % known.length];
    if (next) store.set({ [name]: next });
  };
  return (
    <Combobox
      {...store.input(name)}
      value={value}
      label={label}
      testid={name === "word" ? "face-word" : "other"}
      options={known}
      onStep={step}
    />
  );
}
