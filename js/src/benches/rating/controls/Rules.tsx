import { optionsOf, Segmented, Select } from "../../../lib/ui/Controls";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { inPercent, NumberField } from "../../../lib/ui/NumberField";
import { rowsOf } from "../picture/rows";
import type { Store, View } from "../store";

interface Props {
  store: Store;
  view: View;
}

const UNITS = [
  { value: "mention", label: "mentions" },
  { value: "text", label: "texts" },
] as const;
const SIMILAR = [
  { value: "any", label: "any" },
  { value: "all", label: "all" },
  { value: "vote", label: "most" },
] as const;
const OVERALL = [
  { value: "worst", label: "worst case" },
  { value: "vote", label: "vote" },
] as const;

/** How both rules decide; what was answered is rated anew at once. */
export function Rules({ store, view }: Props) {
  return (
    <Disclosure label="Rules" text="Rules…" testid="rules" class="card wide-card right-card">
      {() => <RulesCard store={store} view={view} />}
    </Disclosure>
  );
}

function RulesCard({ store, view }: Props) {
  const { tests } = view;
  return (
    <div class="stack rules-card">
      <p class="quiet">What was answered is kept: it is rated anew at once, and no call is made.</p>
      <div class="numbers-row">
        <NumberField {...inPercent(store.input("level"))} label="Level, %" />
        <NumberField {...store.input("minimum")} label="Fewest mentions" />
        <NumberField
          {...inPercent(store.input("equivalence_margin"))}
          label="Equivalent within, points"
          testid="margin"
        />
      </div>
      <b>Paper’s rule (Srivastava and Rossi 2018)</b>
      <Select {...store.input("test")} label="Test" options={optionsOf(tests)} />
      <Segmented {...store.input("unit")} label="Counts" options={UNITS} />
      <Segmented
        {...store.input("similar_to")}
        label="Similar to … of the other blocks"
        testid="similar"
        options={SIMILAR}
      />
      <b>All languages as one</b>
      <Segmented {...store.input("overall")} label="By" testid="overall-by" options={OVERALL} />
      <Without store={store} view={view} />
    </div>
  );
}

/** The second overall rating leaves some languages out, as the paper's last row does. */
function Without({ store, view }: Props) {
  const rows = rowsOf(view).all.filter((row) => row.language);
  const { without } = view.inputs;
  if (rows.length < 2) return null;
  return (
    <fieldset class="language-list">
      <legend>And once more without</legend>
      {rows.map(({ language, title }) => (
        <label key={language} class="tick-box">
          <input
            type="checkbox"
            checked={without.includes(language)}
            data-testid={`without-${language}`}
            onChange={(event) => {
              const on = event.currentTarget.checked;
              const rest = without.filter((code) => code !== language);
              store.set({ without: on ? [...rest, language] : rest });
            }}
          />
          {title}
        </label>
      ))}
    </fieldset>
  );
}
