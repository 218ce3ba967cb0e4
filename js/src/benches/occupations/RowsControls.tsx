import type { Picture } from "../../generated/occupations";
import { Segmented, Select } from "../../lib/ui/Controls";
import { Term } from "../../lib/ui/Term";
import type { Inputs, Store, View } from "./store";
import { groupNames, mainContrast } from "./store";

const MEASURES = [
  { value: "pse", label: "PSE" },
  { value: "jnd", label: "JND" },
] as const;

const REFERENCES = [
  { value: "even", label: "Against 50 %" },
  { value: "words", label: "Against others" },
  { value: "controls", label: "Against controls" },
] as const;

const ADJUSTS = [
  { value: "holm", label: "Corrected" },
  { value: "none", label: "Uncorrected" },
] as const;

const TITLES = {
  pse: "Point of subjective equality",
  jnd: "Just noticeable difference",
};

/** The panel's heading: which measure, which groups, and which words in which order. */
export function RowsControls({ store, view }: { store: Store; view: View }) {
  const { inputs } = view;
  return (
    <header class="panel-head wrap-row">
      <h2>
        <Term name={inputs.measure.toUpperCase()}>{TITLES[inputs.measure]}</Term>
      </h2>
      <div class="mini measure">
        <Segmented {...store.input("measure")} label="Measure" options={MEASURES} />
      </div>
      <div class="choices">
        <ContrastSelect store={store} view={view} />
        <div class="mini">
          <Select {...store.input("reference")} label="Compared with" options={REFERENCES} />
        </div>
        <div class="mini">
          <Select {...store.input("adjust")} label="Correct for many words" options={ADJUSTS} />
        </div>
        <div class="mini">
          <Select {...store.input("sort")} label="Sort" options={sorts(inputs)} />
        </div>
        <div class="mini">
          <Select {...store.input("shown")} label="Show" options={filters(view)} />
        </div>
        <input
          class="field search"
          type="search"
          aria-label="Find a word"
          placeholder="Find"
          maxLength={200}
          data-testid="search"
          value={inputs.search}
          onInput={(e) => store.set({ search: e.currentTarget.value })}
        />
      </div>
    </header>
  );
}

function sorts({ measure }: Inputs) {
  return [
    { value: "value", label: `Sort: ${measure.toUpperCase()}` },
    { value: "word", label: "Sort: word" },
    { value: "width", label: "Sort: how sure" },
    { value: "outside", label: "Sort: outside number" },
    { value: "given", label: "Sort: as given" },
  ] as const;
}

function filters(view: View) {
  const [one, two] = groupNames(view);
  const contrast = mainContrast(view);
  const count = (n: number | undefined) => (contrast ? ` (${n ?? 0})` : "");
  const [leans1, leans2] = contrast?.lean_counts ?? [];
  const total = contrast?.lean.length ?? 0;
  return [
    { value: "all", label: `All words${count(total)}` },
    { value: "group_1", label: `Lean ${one}${count(leans1)}` },
    { value: "group_2", label: `Lean ${two}${count(leans2)}` },
    {
      value: "undecided",
      label: `No clear lean${count(total - (leans1 ?? 0) - (leans2 ?? 0))}`,
    },
  ] as const;
}

/** Of several alternatives: which two are compared, or all side by side. */
function ContrastSelect({ store, view }: { store: Store; view: View }) {
  const contrasts = view.answer.picture?.contrasts ?? [];
  if (contrasts.length < 2) return null;
  return (
    <div class="mini">
      <Select
        label="Groups compared"
        testid="contrast"
        value={String(view.inputs.contrast)}
        options={contrastOptions(contrasts)}
        onChange={(value) => store.set({ contrast: Number(value) })}
      />
    </div>
  );
}

const contrastOptions = (contrasts: Picture["contrasts"]) => [
  { value: "-1", label: "Side by side" },
  ...contrasts.map((c, i) => ({ value: String(i), label: `${c.group_1} to ${c.group_2}` })),
];
