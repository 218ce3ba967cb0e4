import { Disclosure } from "../ui/Disclosure";
import { MenuItem } from "../ui/MenuItem";
import type { Kinds } from "./Models";
import type { TestedActions, TestedView } from "./tested";

interface Props {
  store: TestedActions;
  view: TestedView;
}

/** Another model, tested on the same material at once. */
export function AddModel({ store, view, kinds }: Props & { kinds: Kinds }) {
  const { models } = view.inputs;
  const others = view.subjects.filter((s) => !models.includes(s.name));
  return (
    <Disclosure
      label="Add a model"
      text="Add model"
      testid="add-model"
      look="button plain"
      class="tables"
      disabled={view.answer.picture?.run.running ?? false}
    >
      {(close) =>
        others.length === 0 ? (
          <p class="quiet">All models that are offered here are tested already.</p>
        ) : (
          others.map((subject) => (
            <MenuItem
              key={subject.name}
              testid={`add-${subject.name}`}
              onPick={() => {
                close();
                void store.addModel(subject.name);
              }}
            >
              {subject.name} <span class="quiet">{kinds[subject.kind] ?? subject.kind}</span>
            </MenuItem>
          ))
        )
      }
    </Disclosure>
  );
}
