import type { SubjectOption } from "../../../generated/sentences";
import type { Store, View } from "../store";

export const KINDS: Record<string, string> = {
  mlm: "masked",
  clm: "causal",
  observer: "simulated",
};

/** Which models are tested on the same sentences. */
export function Models({ store, view }: { store: Store; view: View }) {
  const { models } = view.inputs;
  const missing = models.filter((name) => !view.subjects.some((s) => s.name === name));
  return (
    <fieldset class="model-choices" data-testid="models">
      <legend>Models, on the same sentences</legend>
      {view.subjects.map((subject) => (
        <ModelChoice
          key={subject.name}
          subject={subject}
          checked={models.includes(subject.name)}
          onChange={(on) =>
            // In the order in which they are offered.
            store.set({
              models: view.subjects
                .map((s) => s.name)
                .filter((n) => (n === subject.name ? on : models.includes(n)))
                .concat(missing),
            })
          }
        />
      ))}
      {view.subjects.length === 0 && <p class="quiet">No language model is offered here.</p>}
    </fieldset>
  );
}

interface ChoiceProps {
  subject: SubjectOption;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function ModelChoice({ subject, checked, onChange }: ChoiceProps) {
  return (
    <label class="model-choice">
      <input
        type="checkbox"
        checked={checked}
        data-testid={`model-${subject.name}`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        <b>{subject.name}</b> <span class="quiet">{KINDS[subject.kind] ?? subject.kind}</span>
        <small>{subject.about}</small>
      </span>
    </label>
  );
}
