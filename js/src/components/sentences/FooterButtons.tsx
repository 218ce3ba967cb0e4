import { Disclosure } from "../../lib/ui/Disclosure";
import { KINDS } from "./specify/Models";
import { runOf, type Store, type View } from "./store";

interface Props {
  store: Store;
  view: View;
}

/** Back to the first step; lists are kept. */
export function StartAgain({ store, view }: Props) {
  return (
    <button
      type="button"
      class="button plain"
      data-testid="start-again"
      disabled={view.inputs.step === 1 && view.sentences.pairs.length === 0}
      onClick={() => store.startAgain()}
    >
      Start again
    </button>
  );
}

/** Another model, tested on the same sentences at once. */
export function AddModel({ store, view }: Props) {
  const { models } = view.inputs;
  const others = view.subjects.filter((s) => !models.includes(s.name));
  return (
    <Disclosure
      label="Add a model"
      text="Add model"
      testid="add-model"
      look="button plain"
      class="tables"
      disabled={runOf(view).running}
    >
      {(close) =>
        others.length === 0 ? (
          <p class="quiet">All models that are offered here are tested already.</p>
        ) : (
          others.map((subject) => (
            <button
              key={subject.name}
              type="button"
              class="menu-item"
              data-testid={`add-${subject.name}`}
              onClick={() => {
                close();
                void store.addModel(subject.name);
              }}
            >
              {subject.name} <span class="quiet">{KINDS[subject.kind] ?? subject.kind}</span>
            </button>
          ))
        )
      }
    </Disclosure>
  );
}
