import { SubjectSelect } from "../../lib/bench/SubjectSelect";
import { Segmented, Select, Switch } from "../../lib/ui/Controls";
import { Disclosure } from "../../lib/ui/Disclosure";
import { NumberField } from "../../lib/ui/NumberField";
import type { Store, View } from "./store";

const FORMS = [
  { value: "yes or no", label: "Yes or no" },
  { value: "which of two", label: "Which of two" },
] as const;
const READINGS = [
  { value: "gap", label: "Gap" },
  { value: "sensitivity", label: "Sensitivity" },
] as const;
const METHODS = [
  { value: "automatic", label: "As suits the subject" },
  { value: "adaptive", label: "Adaptive: where a reply says most" },
  { value: "fixed", label: "Fixed: at equal steps" },
] as const;
const LAPSES = [
  { value: "free", label: "Fitted for each group" },
  { value: "shared", label: "Fitted, the same for all groups" },
  { value: "equal", label: "Fitted, also the same for yes and no" },
  { value: "none", label: "None" },
] as const;
/** Of two candidates there is one curve, which no group shares with another. */
const LAPSES_OF_TWO = [
  { value: "free", label: "Fitted for each answer" },
  { value: "equal", label: "Fitted, the same for both answers" },
  { value: "none", label: "None" },
] as const;
const SLOPES = [
  { value: "free", label: "One for each group" },
  { value: "shared", label: "The same for all groups" },
] as const;

/** Who decides, about what, in which form, and what counts as alike. */
export function Controls({ store, view }: { store: Store; view: View }) {
  const { inputs, card, cases } = view;
  const own = inputs.case_text !== "";
  const edited = { name: EDITED, title: `${card.title}, edited`, problem: "" };
  const shown = own ? [...cases, edited] : cases;
  return (
    <div class="controls">
      <SubjectSelect {...store.input("subject")} view={view} />
      <Select
        label="Case"
        testid="case"
        value={own ? EDITED : inputs.case}
        options={shown.map(({ name, title, problem }) => ({
          value: name,
          label: problem === "" ? title : `${title}: ${problem}`,
          disabled: problem !== "",
        }))}
        onChange={(name) => store.choose(name)}
      />
      <Segmented
        {...store.input("form")}
        label="Answers"
        options={FORMS.filter(({ value }) => card.forms.length === 0 || card.forms.includes(value))}
      />
      <Segmented {...store.input("reading")} label="View" options={READINGS} />
      {inputs.reading === "sensitivity" ? (
        <Truth store={store} view={view} />
      ) : (
        <NumberField
          {...store.input("alike")}
          label={`Treated alike, ± ${card.unit}`}
          testid="margin"
          step={card.level_step}
          max={card.high - card.low}
        />
      )}
      <div class="control-links">
        <Disclosure
          label="More settings"
          text="Settings"
          testid="settings"
          look="button plain"
          class="right-card"
        >
          {() => <Settings store={store} view={view} />}
        </Disclosure>
        <button
          type="button"
          class="button plain"
          data-testid="edit-case"
          aria-expanded={view.draft !== null}
          onClick={() => store.edit(view.draft === null ? inputs.case_text || card.toml : null)}
        >
          Edit case
        </button>
      </div>
    </div>
  );
}

/** Who counts as qualified, and which differences count as alike. */
function Truth({ store, view: { card } }: SettingsProps) {
  return (
    <>
      <NumberField
        {...store.input("qualified")}
        label={`Qualified ${card.falls ? "up to" : "from"}, ${card.unit}`}
        min={card.lowest}
        max={card.lowest + card.level_step * (card.says.length - 1)}
        step={card.level_step}
      />
      <div class="margins">
        <NumberField {...store.input("alike_d")} label="Alike, d′ ±" />
        <NumberField {...store.input("alike_c")} label="and c ±" />
      </div>
    </>
  );
}

const EDITED = "\u0001edited";

/** Questions at most where nothing is planned yet. */
const USUAL = 400;

interface SettingsProps {
  store: Store;
  view: View;
}

function Settings({ store, view: { inputs, plan, card } }: SettingsProps) {
  return (
    <div class="stack">
      <Select {...store.input("method")} label="Levels" options={METHODS} />
      <div class="fields">
        <NumberField
          {...store.input("trials")}
          value={inputs.trials || plan.questions || USUAL}
          label="Questions at most"
          min={1}
        />
        {inputs.method !== "fixed" && (
          <NumberField
            {...store.input("stop_width")}
            label={`Stop at a width, ${card.unit}`}
            testid="width"
          />
        )}
      </div>
      <p class="quiet">A width of 0 stops at a verdict.</p>
      {inputs.form === "yes or no" ? (
        <>
          <Select {...store.input("lapses")} label="Lapses" options={LAPSES} />
          <Select {...store.input("slopes")} label="Slopes of the curves" options={SLOPES} />
        </>
      ) : (
        <Select
          label="Lapses"
          testid="lapses"
          value={inputs.lapses === "shared" ? "free" : inputs.lapses}
          options={LAPSES_OF_TWO}
          onChange={(lapses) => store.set({ lapses })}
        />
      )}
      <div class="fields">
        <NumberField {...store.input("level")} label="Interval level" />
        <NumberField {...store.input("seed")} label="Seed" />
      </div>
      <Switch {...store.input("cannot_say")} label="The subject may say that it cannot decide" />
    </div>
  );
}
