import type { ComponentChildren, ComponentProps } from "preact";
import { useState } from "preact/hooks";
import { Onward } from "../bench/Onward";
import { Rejected } from "../bench/Rejected";
import { SetNotes } from "../bench/SetNotes";
import type { Hand, TestedActions, TestedView } from "../bench/tested";
import { many } from "../format";
import { type Option, Segmented } from "../ui/Controls";
import { SearchField } from "../ui/SearchField";

interface Props<Which extends string> {
  store: TestedActions & { restore(ids: readonly string[]): Promise<void> };
  view: TestedView & Pick<Hand, "undoable">;
  /** One of what is made here: "picture". */
  thing: string;
  notes: ComponentProps<typeof SetNotes>;
  which: readonly Option<Which>[];
  search: { label: string; hint: string };
  /** How many there are. */
  count: string;
  isUsed: (id: string) => boolean;
  /** What takes one away by hand: "remove". */
  away: string;
  rejected: Pick<ComponentProps<typeof Rejected>, "rows" | "title">;
  sources: ComponentChildren;
  /** Beside Undo. */
  tool?: ComponentChildren;
  children: (which: Which, search: string) => ComponentChildren;
}

/** Step 2: the material that is asked about, where it comes from, and what is not used. */
export function Material<Which extends string>(props: Props<Which>) {
  const { store, view, thing } = props;
  const [which, setWhich] = useState(props.which[0]!.value);
  const [search, setSearch] = useState("");
  const gone = view.undoable.filter((id) => !props.isUsed(id));
  return (
    <>
      <div class="material">
        {props.sources}
        <SetNotes {...props.notes} />
        <div class="tools wrap-row">
          <div class="mini filter">
            <Segmented
              label={`Which ${thing}s`}
              testid="which"
              value={which}
              options={props.which}
              onChange={setWhich}
            />
          </div>
          <SearchField
            {...props.search}
            testid={`search-${thing}s`}
            value={search}
            onInput={setSearch}
          />
          <span class="ink2 t12" data-testid={`${thing}-count`}>
            {props.count}
          </span>
          <span class="undo">
            {gone.length > 0 && (
              <button
                type="button"
                class="button"
                data-testid={`undo-${props.away}`}
                onClick={() => void store.restore(gone)}
              >
                Undo: put back {many(gone.length, thing)}
              </button>
            )}
            {props.tool}
          </span>
        </div>
        {props.children(which, search)}
        <Rejected {...props.rejected} onRestore={(id) => void store.restore([id])} />
      </div>
      <Onward store={store} view={view} to={3} text="To the test" />
    </>
  );
}
