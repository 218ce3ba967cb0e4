import type { ComponentChildren } from "preact";
import { whole } from "../format";
import { type Option, Segmented, Select } from "../ui/Controls";
import { SearchField } from "../ui/SearchField";

interface Look<Outcome extends string, Sort extends string, Within extends string> {
  outcome: Outcome;
  search: string;
  sort: Sort;
  within: Within;
}

interface Props<O extends string, S extends string, W extends string> {
  store: { look(look: Partial<Look<O, S, W>>): void };
  view: Look<O, S, W>;
  /** What the squares are of, in the plural. */
  things: string;
  filters: readonly Option<O>[];
  /** How many squares each leaves. */
  counts: Record<O, number>;
  search: { label: string; hint: string };
  orders: readonly Option<`${S} ${W}`>[];
  children?: ComponentChildren;
}

/** Which squares stand out, and in which order rows and squares come. */
export function Tools<O extends string, S extends string, W extends string>(props: Props<O, S, W>) {
  const { store, view, counts } = props;
  return (
    <div class="tools wrap-row">
      <div class="mini filter">
        <Segmented
          label={`Which ${props.things}`}
          testid="outcome"
          value={view.outcome}
          options={props.filters.map(({ value, label }) => ({
            value,
            label: `${label} ${whole(counts[value])}`,
          }))}
          onChange={(outcome) => store.look({ outcome })}
        />
      </div>
      <SearchField
        {...props.search}
        testid="search"
        value={view.search}
        onInput={(search) => store.look({ search })}
      />
      <div class="mini order">
        <Select
          label="Order"
          testid="order"
          value={`${view.sort} ${view.within}`}
          options={props.orders}
          onChange={(value) => {
            const [sort, within] = value.split(" ") as [S, W];
            store.look({ sort, within });
          }}
        />
      </div>
      {props.children}
    </div>
  );
}
