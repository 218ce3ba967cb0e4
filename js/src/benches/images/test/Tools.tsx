import { useMemo } from "preact/hooks";
import { whole } from "../../../lib/format";
import { Segmented, Select } from "../../../lib/ui/Controls";
import { SearchField } from "../../../lib/ui/SearchField";
import type { Store, View } from "../store";
import { FILTERS } from "../texts";
import { outcomeCounts } from "./rows";

const ORDERS = [
  { value: "list score", label: "by group, squares by score" },
  { value: "list place", label: "by group, pictures in one place" },
  { value: "score score", label: "by score" },
  { value: "name score", label: "by name" },
] as const;

/** Which squares stand out, and in which order rows and squares come. */
export function Tools({ store, view }: { store: Store; view: View }) {
  const { scores, inputs } = view;
  const counts = useMemo(() => outcomeCounts({ scores, inputs }), [scores, inputs.models]);
  return (
    <div class="tools wrap-row">
      <div class="mini filter">
        <Segmented
          label="Which pictures"
          testid="outcome"
          value={view.outcome}
          options={FILTERS.filter(({ value }) => value !== "f" || counts.f > 0).map(
            ({ value, label }) => ({ value, label: `${label} ${whole(counts[value])}` }),
          )}
          onChange={(outcome) => store.look({ outcome })}
        />
      </div>
      <SearchField
        label="Search pictures by what they show"
        testid="search"
        hint="descriptions"
        value={view.search}
        onInput={(search) => store.look({ search })}
      />
      <div class="mini order">
        <Select
          label="Order"
          testid="order"
          value={`${view.sort} ${view.within}` as (typeof ORDERS)[number]["value"]}
          options={ORDERS}
          onChange={(value) => {
            const [sort, within] = value.split(" ") as [View["sort"], View["within"]];
            store.look({ sort, within });
          }}
        />
      </div>
    </div>
  );
}
