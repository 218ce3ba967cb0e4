import type { ComponentChildren } from "preact";
import { Disclosure } from "../ui/Disclosure";
import { Ghost } from "./Ghost";
import type { AnyStore } from "./store";

/** Characters of how two models compare, to keep room for. */
const COMPARISON = 180;

interface TestedModel {
  name: string;
  state: string;
  message: string;
}

interface Props {
  store: AnyStore;
  models: readonly TestedModel[];
  comparisons: readonly string[];
  /** How many models were asked for. */
  expected: number;
}

/** What came of models that could not be tested, and how models compare. */
export function ModelNotes({ store, models, comparisons, expected }: Props) {
  const troubled = models.filter((m) => m.message && m.state !== "done");
  // Room for what will be said of how models compare, so that nothing moves when it comes.
  const lines = Math.max(0, Math.max(expected, models.length) - 1);
  return (
    <div class="held">
      <div class="in model-notes column">
        {Array.from({ length: lines }, (_, i) => (
          <Ghost key={i} look="note-line" count={COMPARISON} />
        ))}
      </div>
      <div class="in model-notes column">
        {troubled.map((model) => (
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
    </div>
  );
}

interface Counted {
  name: string;
  about: string;
  details: readonly string[];
}

interface CardProps<M extends Counted> {
  models: readonly M[];
  /** What stands on the button. */
  text: string;
  /** What stands before a model's numbers. */
  before?: (model: M) => ComponentChildren;
}

/** The numbers behind the scores. */
export function NumbersCard<M extends Counted>({ models, text, before }: CardProps<M>) {
  if (models.length === 0) return null;
  return (
    <Disclosure
      label="Numbers behind the scores"
      text={text}
      testid="numbers"
      look="link t12"
      class="numbers-card right-card push"
    >
      {() => (
        <div class="stack">
          {models.map((model) => (
            <section key={model.name} data-testid="model-numbers" data-model={model.name}>
              <h2>{model.name}</h2>
              <p class="quiet">{model.about}</p>
              {before?.(model)}
              <ul>
                {model.details.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      )}
    </Disclosure>
  );
}
