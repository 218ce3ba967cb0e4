import { whole } from "../../../lib/format";
import { Segmented, Select } from "../../../lib/ui/Controls";
import { SearchField } from "../../../lib/ui/SearchField";
import type { Store, View } from "../store";
import { FILTERS } from "../texts";
import { Legend } from "./Legend";
import { outcomeCounts } from "./rows";

const ORDERS = [
  { value: "list odds", label: "lists, squares by log-odds" },
  { value: "list place", label: "lists, pairs in one place" },
  { value: "share odds", label: "by share" },
  { value: "name odds", label: "by name" },
] as const;

/** Which squares stand out, and in which order rows and squares come. */
export function Tools({ store, view }: { store: Store; view: View }) {
  const { picture } = view.answer;
  const counts = outcomeCounts(view);
  const both = (picture?.attributes.length ?? 0) > 0 && (picture?.bias_types.length ?? 0) > 0;
  return (
    <div class="tools wrap-row">
      <div class="mini filter">
        <Segmented
          label="Which pairs"
          testid="outcome"
          value={view.outcome}
          options={FILTERS.map(({ value, label }) => ({
            value,
            label: `${label} ${whole(counts[value])}`,
          }))}
          onChange={(outcome) => store.look({ outcome })}
        />
      </div>
      <SearchField
        label="Search sentences"
        testid="search"
        hint="sentences"
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
      {both && (
        <div class="mini order">
          <Select
            label="Rows"
            testid="kind"
            value={view.kind}
            options={[
              { value: "attributes", label: "attributes" },
              { value: "bias_types", label: "types of bias" },
            ]}
            onChange={(kind) => store.look({ kind })}
          />
        </div>
      )}
      <Legend edges={picture?.edges ?? [0.6, 1.6]} unit={picture?.unit ?? "nats"} />
    </div>
  );
}
