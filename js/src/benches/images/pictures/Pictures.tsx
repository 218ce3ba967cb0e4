import { useState } from "preact/hooks";
import { Onward } from "../../../lib/bench/Onward";
import { Rejected } from "../../../lib/bench/Rejected";
import { SetNotes } from "../../../lib/bench/SetNotes";
import { Segmented } from "../../../lib/ui/Controls";
import { SearchField } from "../../../lib/ui/SearchField";
import { imageOf, type Store, type View } from "../store";
import { countText, many, whole } from "../texts";
import { Gallery } from "./Gallery";
import type { Which } from "./listing";
import { Sources } from "./Sources";

/** Step 2: the pictures that are asked about, where they come from, and what is not used. */
export function Pictures({ store, view }: { store: Store; view: View }) {
  const { images } = view;
  const { images: all, sources, notes, problems, rejected } = images;
  const [which, setWhich] = useState<Which>("all");
  const [search, setSearch] = useState("");
  const remarks = all.filter((image) => image.remark).length;
  const own = all.filter((image) => sources[image.source] !== "drawn").length;
  return (
    <>
      <div class="material">
        <Sources store={store} view={view} />
        <SetNotes problems={problems} notes={notes} />
        <div class="tools">
          <div class="mini filter">
            <Segmented
              label="Which pictures"
              testid="which"
              value={which}
              options={[
                { value: "all", label: `All ${whole(all.length)}` },
                { value: "own", label: `Not drawn ${whole(own)}` },
                { value: "remark", label: `Remarks ${whole(remarks)}` },
              ]}
              onChange={setWhich}
            />
          </div>
          <SearchField
            label="Search pictures by what they show"
            testid="search-pictures"
            hint="descriptions"
            value={search}
            onInput={setSearch}
          />
          <span class="set-count" data-testid="picture-count">
            {countText(images)}
          </span>
          <Undo store={store} view={view} />
        </div>
        <Gallery store={store} view={view} which={which} search={search} />
        <Rejected
          rows={rejected.map(({ id, name, term, reason }) => ({
            id,
            reason,
            text: term ? `${name} (${term})` : name,
          }))}
          title={`${many(rejected.length, "picture is", "pictures are")} not used, with reasons`}
          onRestore={(id) => void store.restore([id])}
        />
      </div>
      <Onward store={store} view={view} to={3} text="To the test" />
    </>
  );
}

/** What was removed last by hand comes back. */
function Undo({ store, view }: { store: Store; view: View }) {
  const gone = view.undoable.filter((id) => !imageOf(view, id));
  return (
    <span class="undo">
      {gone.length > 0 && (
        <button
          type="button"
          class="button"
          data-testid="undo-remove"
          onClick={() => void store.restore(gone)}
        >
          Undo: put back {many(gone.length, "picture")}
        </button>
      )}
    </span>
  );
}
