import type { AttributeOption } from "../../../generated/rating";
import { Seed } from "../../../lib/bench/LevelAndSeed";
import { Select } from "../../../lib/ui/Controls";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { NumberField } from "../../../lib/ui/NumberField";
import type { Store, View } from "../store";

interface Props {
  store: Store;
  view: View;
  attribute: AttributeOption | undefined;
}

/** How the texts are written, with examples. */
export function Texts({ store, view, attribute }: Props) {
  const { inputs, plan } = view;
  const templates = attribute?.templates ?? [];
  const now = templates.find((one) => one.name === inputs.template) ?? templates[0];
  return (
    <Disclosure
      label="Texts"
      text="Template…"
      testid="template-open"
      class="card wide-card right-card"
    >
      {() => (
        <div class="stack">
          <Select
            {...store.input("template")}
            label="Template"
            value={now?.name ?? inputs.template}
            options={templates.map(({ name }) => ({ value: name, label: name }))}
          />
          <p class="quiet">{now?.example}</p>
          <div class="numbers-row">
            <NumberField {...store.input("texts")} label="Texts per block" testid="texts-number" />
            <Seed {...store.input("seed")} />
          </div>
          {plan.example.length > 0 && (
            <>
              <p>The first texts:</p>
              <ul class="examples bulleted" data-testid="examples">
                {plan.example.map((text, i) => (
                  <li key={i}>{text}</li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </Disclosure>
  );
}
