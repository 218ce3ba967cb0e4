import { many } from "../format";
import type { SubjectOption } from "./records";
import type { TestedActions, TestedView } from "./tested";

/** Kinds of models in a word. */
export type Kinds = Readonly<Record<string, string>>;

interface Props {
  store: TestedActions;
  view: TestedView;
  kinds: Kinds;
  /** What they are tested on: "on the same sentences". */
  on: string;
  /** Said where there is none to choose. */
  none: string;
}

/** Which models are tested on the same material. */
export function Models({ store, view, kinds, on, none }: Props) {
  const { models } = view.inputs;
  const missing = models.filter((name) => !view.subjects.some((s) => s.name === name));
  return (
    <fieldset class="model-choices" data-testid="models">
      <legend>Models, {on}</legend>
      {view.subjects.map((subject) => (
        <ModelChoice
          key={subject.name}
          subject={subject}
          kind={kinds[subject.kind] ?? subject.kind}
          checked={models.includes(subject.name)}
          onChange={(chosen) =>
            // In the order in which they are offered.
            store.set({
              models: view.subjects
                .map((s) => s.name)
                .filter((n) => (n === subject.name ? chosen : models.includes(n)))
                .concat(missing),
            })
          }
        />
      ))}
      {view.subjects.length === 0 && <p class="quiet">{none}</p>}
      {view.misfits.length > 0 && (
        <details class="misfits">
          <summary class="quiet">{many(view.misfits.length, "subject")} that do not fit</summary>
          {view.misfits.map(({ name, what, reason }) => (
            <label key={name} class="model-choice misfit">
              <input
                type="checkbox"
                checked={false}
                aria-disabled="true"
                data-testid={`misfit-${name}`}
                onClick={(event) => event.preventDefault()}
              />
              <span>
                <b class="bold">{name}</b> {what}
                <small>{reason}</small>
              </span>
            </label>
          ))}
        </details>
      )}
    </fieldset>
  );
}

interface ChoiceProps {
  subject: SubjectOption;
  kind: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function ModelChoice({ subject, kind, checked, onChange }: ChoiceProps) {
  return (
    <label class="model-choice">
      <input
        type="checkbox"
        checked={checked}
        data-testid={`model-${subject.name}`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        <b class="bold">{subject.name}</b> <span class="quiet t11">{kind}</span>
        <small>{subject.about}</small>
      </span>
    </label>
  );
}
