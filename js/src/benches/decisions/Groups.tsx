import { Switch } from "../../lib/ui/Controls";
import { isAlone, pairWith, type Store, type View } from "./store";

/** The groups of a case with more than two: which two are compared, and who is asked about. */
export function Groups({ store, view }: { store: Store; view: View }) {
  const { card } = view;
  const names = card.group_names;
  if (names.length < 3) return null;
  const pair = card.groups.map((group) => group.name);
  return (
    <fieldset class="chips" data-testid="groups">
      <legend class="ink2">
        Groups <span class="quiet">choose one to compare, press a chosen one to swap both</span>
      </legend>
      <div class="chip-row wrap-row">
        {names.map((name) => {
          const at = pair.indexOf(name);
          return (
            <span key={name} class="chip-box">
              <button
                type="button"
                class={`chip ${at < 0 ? "number" : `c${at + 1} chosen`}`}
                data-testid={`group-${name}`}
                aria-pressed={at >= 0}
                aria-label={at < 0 ? name : `${name}, ${at === 0 ? "first" : "second"} group`}
                onClick={() => store.set({ groups: pairWith(pair, name), cue_1: "", cue_2: "" })}
              >
                {name}
              </button>
            </span>
          );
        })}
      </div>
      {isAlone(view) && (
        <Switch {...store.input("all_groups")} label={`Ask about all ${names.length} groups`} />
      )}
    </fieldset>
  );
}
