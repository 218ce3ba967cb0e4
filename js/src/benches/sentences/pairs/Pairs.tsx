import { many, whole } from "../../../lib/format";
import { Material } from "../../../lib/three-steps/Material";
import { pairOf, type Store, type View } from "../store";
import { countText } from "../texts";
import { emptyAttributes, type Which } from "./listing";
import { Sources } from "./Sources";
import { Table } from "./Table";

/** Step 2: the pairs that are asked about, where they come from, and what is not used. */
export function Pairs({ store, view }: { store: Store; view: View }) {
  const { sentences } = view;
  const { pairs, notes, problems, rejected } = sentences;
  const empty = emptyAttributes(sentences);
  return (
    <Material<Which>
      store={store}
      view={view}
      thing="pair"
      notes={{ problems, notes }}
      which={[
        { value: "all", label: `All ${whole(pairs.length)}` },
        { value: "remark", label: `Remarks ${whole(pairs.filter((p) => p.remark).length)}` },
        { value: "edited", label: `Edited ${whole(pairs.filter((p) => p.edited).length)}` },
      ]}
      search={{ label: "Search sentences", hint: "sentences" }}
      count={countText(sentences)}
      isUsed={(id) => pairOf(view, id) !== undefined}
      away="reject"
      rejected={{
        rows: rejected,
        title: `${many(rejected.length, "sentence is", "sentences are")} not used, with reasons`,
      }}
      sources={<Sources store={store} view={view} />}
      tool={
        <button
          type="button"
          class="button plain"
          data-testid="clear"
          disabled={pairs.length === 0}
          onClick={() => void store.clear()}
        >
          Reject all
        </button>
      }
    >
      {(which, search) => (
        <>
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
        </>
      )}
    </Material>
  );
}
