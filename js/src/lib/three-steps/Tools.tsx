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
  look: Look<O, S, W>;
  onLook: (look: Partial<Look<O, S, W>>) => void;
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
  const { look, onLook, counts } = props;
  return (
    <div class="tools wrap-row">
      <div class="mini filter">
        <Segmented
          label={`Which ${props.things}`}
          testid="outcome"
          value={look.outcome}
          options={props.filters.map(({ value, label }) => ({
            value,
            label: `${label} ${whole(counts[value])}`,
          }))}
          onChange={(outcome) => onLook({ outcome })}
        />
      </div>
      <SearchField
        {...props.search}
        testid="search"
        value={look.search}
        onInput={(search) => onLook({ search })}
      />
      <div class="mini order">
        <Select
          label="Order"
          testid="order"
          value={`${look.sort} ${look.within}`}
          options={props.orders}
          onChange={(value) => {
            const [sort, within] = value.split(" ") as [S, W];
            onLook({ sort, within });
          }}
        />
      </div>
      {props.children}
    </div>
  );
}
