import { useUid } from "../../lib/uid";
import type { Store, View } from "./store";
import { stepsOf } from "./texts";

/** From every distance to one number: radio buttons, so one Tab stop and arrows inside. */
export function Steps({ store, view }: { store: Store; view: View }) {
  const id = useUid();
  const { step } = view.inputs;
  return (
    <fieldset class="stepper" aria-label="Throw the data away, in four steps">
      {stepsOf(view.answer.picture).map(({ title, count }, i) => (
        <label key={title} class={step === i + 1 ? "now" : ""}>
          <input
            class="overlay-input"
            type="radio"
            name={id}
            value={i + 1}
            checked={step === i + 1}
            data-testid={`step-${i + 1}`}
            onChange={() => store.set({ step: i + 1 })}
          />
          <span class="step-sign" aria-hidden="true">
            {i + 1}
          </span>
          <span class="step-text">
            <b>{title}</b>
            <small title={count} data-testid={`step-count-${i + 1}`}>
              {count}
            </small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
