import type { ModelRow } from "../../../generated/sentences";
import { Disclosure } from "../../../lib/ui/Disclosure";
import type { Store, View } from "../store";

const LINE = 22;

/** What came of models that could not be tested, and how models compare. */
export function ModelNotes({ store, view }: { store: Store; view: View }) {
  const { models, comparisons } = view.answer.picture ?? { models: [], comparisons: [] };
  const told = models.filter((m) => m.message && m.state !== "done");
  // Room for what will be said of how models compare, so that nothing moves when it comes.
  const lines = Math.max(view.inputs.models.length, models.length) - 1;
  return (
    <div class="model-notes" style={{ minHeight: `${Math.max(0, lines) * LINE}px` }}>
      {told.map((model) => (
        <p
          key={model.name}
          class={model.state === "failed" ? "problem-line" : "note-line"}
          role={model.state === "failed" ? "alert" : undefined}
          data-testid="model-message"
          data-model={model.name}
        >
          <b>{model.name}</b> {model.message}{" "}
          {model.state === "failed" && (
            <button
              type="button"
              class="link"
              data-testid="retry"
              onClick={() => void store.command("retry")}
            >
              Try again
            </button>
          )}
        </p>
      ))}
      {comparisons.map((text) => (
        <p key={text} class="note-line" data-testid="comparison">
          {text}
        </p>
      ))}
    </div>
  );
}

/** The numbers behind the scores, and the scorers' formulas. */
export function NumbersCard({ view }: { view: View }) {
  const models = view.answer.picture?.models ?? [];
  if (models.length === 0) return null;
  return (
    <Disclosure
      label="Numbers behind the scores"
      text="Numbers and formulas"
      testid="numbers"
      class="numbers-card"
    >
      {() => (
        <div class="stack">
          {models.map((model) => (
            <Numbers key={model.name} model={model} />
          ))}
        </div>
      )}
    </Disclosure>
  );
}

function Numbers({ model }: { model: ModelRow }) {
  return (
    <section data-testid="model-numbers" data-model={model.name}>
      <h3>{model.name}</h3>
      <p class="quiet">{model.about}</p>
      <p class="formula">
        <span>{model.scorer_label}</span> <code>{model.formula}</code>
      </p>
      <ul>
        {model.details.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}
