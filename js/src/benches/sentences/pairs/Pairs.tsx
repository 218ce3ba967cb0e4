import { useState } from "preact/hooks";
import { Onward } from "../../../lib/bench/Onward";
import { Rejected } from "../../../lib/bench/Rejected";
import { SetNotes } from "../../../lib/bench/SetNotes";
import { Segmented } from "../../../lib/ui/Controls";
import { SearchField } from "../../../lib/ui/SearchField";
import { pairOf, type Store, type View } from "../store";
import { countText, many, whole } from "../texts";
import { emptyAttributes, type Which } from "./listing";
import { Sources } from "./Sources";
import { Table } from "./Table";

/** Step 2: the pairs that are asked about, where they come from, and what is not used. */
export function Pairs({ store, view }: { store: Store; view: View }) {
  const { sentences } = view;
  const { pairs, notes, problems } = sentences;
  const [which, setWhich] = useState<Which>("all");
  const [search, setSearch] = useState("");
  const remarks = pairs.filter((p) => p.remark).length;
  const edits = pairs.filter((p) => p.edited).length;
  const empty = emptyAttributes(sentences);
  return (
    <>
      <div class="material">
        <Sources store={store} view={view} />
        <SetNotes problems={problems} notes={notes} />
        <div class="tools">
          <div class="mini filter">
            <Segmented
              label="Which pairs"
              testid="which"
              value={which}
              options={[
                { value: "all", label: `All ${whole(pairs.length)}` },
                { value: "remark", label: `Remarks ${whole(remarks)}` },
                { value: "edited", label: `Edited ${whole(edits)}` },
              ]}
              onChange={setWhich}
            />
          </div>
          <SearchField
            label="Search sentences"
            testid="search-pairs"
            hint="sentences"
            value={search}
            onInput={setSearch}
          />
          <span class="set-count" data-testid="pair-count">
            {countText(sentences)}
          </span>
          <Undo store={store} view={view} />
        </div>
        {pairs.length === 0 ? (
          <p class="nothing" data-testid="no-pairs">
            No sentence yet. Make some from templates: that needs no key and no network.
          </p>
        ) : (
          <Table store={store} view={view} which={which} search={search} />
        )}
        {empty.length > 0 && pairs.length > 0 && (
          <p class="without warn-text" data-testid="without">
            No sentence yet for {many(empty.length, "attribute")}: {empty.join(", ")}.
          </p>
        )}
        <Rejected
          rows={sentences.rejected}
          title={`${many(sentences.rejected.length, "sentence is", "sentences are")} not used, with reasons`}
          onRestore={(id) => void store.restore([id])}
        />
      </div>
      <Onward store={store} view={view} to={3} text="To the test" />
    </>
  );
}

/** What was rejected last by hand comes back; all pairs can be taken away at once. */
function Undo({ store, view }: { store: Store; view: View }) {
  const { undoable, sentences } = view;
  const gone = undoable.filter((id) => !pairOf(view, id));
  return (
    <span class="undo">
      {gone.length > 0 && (
        <button
          type="button"
          class="button"
          data-testid="undo-reject"
          onClick={() => void store.restore(gone)}
        >
          Undo: put back {many(gone.length, "pair")}
        </button>
      )}
      <button
        type="button"
        class="button plain"
        data-testid="clear"
        disabled={sentences.pairs.length === 0}
        onClick={() => void store.clear()}
      >
        Reject all
      </button>
    </span>
  );
}
