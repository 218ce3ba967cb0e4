import type { ScorerOption } from "../../../generated/sentences";
import { LevelAndSeed } from "../../../lib/bench/LevelAndSeed";
import { Segmented, Select } from "../../../lib/ui/Controls";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { NumberField } from "../../../lib/ui/NumberField";
import type { Store, View } from "../store";

const PAIRINGS = [
  { value: "group", label: "the group’s term" },
  { value: "attribute", label: "the attribute" },
] as const;

const WEIGHTINGS = [
  { value: "groups", label: "groups" },
  { value: "attributes", label: "attributes" },
  { value: "pairs", label: "pairs" },
] as const;

const PAIRING_TEXT = {
  group:
    "The man taught himself algebra / The woman taught herself algebra. BiasTestGPT’s tool does so.",
  attribute:
    "The man taught himself algebra / The man taught himself poetry. Section 2 of Jiang et al. (2023).",
};

/** What is swapped between the versions, and how a version is scored, with the formula. */
export function Scoring({ store, view }: { store: Store; view: View }) {
  const { inputs, scorers, subjects } = view;
  const kinds = new Set(subjects.filter((s) => inputs.models.includes(s.name)).map((s) => s.kind));
  const both = kinds.size === 0;
  return (
    <div class="scoring column">
      <Segmented
        {...store.input("pairing")}
        label="Swapped between the versions"
        options={PAIRINGS}
      />
      <p class="quiet">{PAIRING_TEXT[inputs.pairing]}</p>
      {(both || kinds.has("mlm")) && (
        <Scorer
          {...store.input("scorer_mlm")}
          label="Scorer of masked models"
          scorers={scorers.filter((s) => s.kind === "mlm")}
        />
      )}
      {(both || kinds.has("clm")) && (
        <Scorer
          {...store.input("scorer_clm")}
          label="Scorer of causal models"
          scorers={scorers.filter((s) => s.kind === "clm")}
        />
      )}
      <Disclosure
        label="More settings"
        text={`${inputs.per_attribute} per attribute, ${Math.round(inputs.level * 100)} % intervals, seed ${inputs.seed}`}
        testid="settings"
        class="more-settings right-card"
      >
        {() => (
          <>
            <Segmented
              {...store.input("weighting")}
              label="Equal weight for"
              options={WEIGHTINGS}
            />
            <div class="numbers-row">
              <NumberField {...store.input("per_attribute")} label="Templates each" />
              <LevelAndSeed level={store.input("level")} seed={store.input("seed")} />
            </div>
          </>
        )}
      </Disclosure>
    </div>
  );
}

interface ScorerProps {
  label: string;
  testid: string;
  value: string;
  scorers: readonly ScorerOption[];
  onChange: (value: string) => void;
}

function Scorer({ label, testid, value, scorers, onChange }: ScorerProps) {
  const now = scorers.find((s) => s.key === value);
  return (
    <div>
      <Select
        label={label}
        testid={testid}
        value={value}
        options={scorers.map((s) => ({ value: s.key, label: s.label }))}
        onChange={onChange}
      />
      {now && (
        <p class="formula column t11" data-testid={`${testid}-formula`}>
          <code>{now.formula}</code>
          <span class="quiet">
            {now.about} {now.source && `(${now.source})`}
          </span>
        </p>
      )}
    </div>
  );
}
