import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Windowed } from "../../../lib/ui/Windowed";
import { useUid } from "../../../lib/uid";
import type { Store, View } from "../store";
import { type Item, itemsOf, type Place, placeKey, type Side, type Which } from "./listing";
import { PairLine } from "./PairLine";

interface Props {
  store: Store;
  view: View;
  which: Which;
  search: string;
}

const TALL = 560;
const HEAD = 34;
const LINE = 46;

/** All pairs by attribute, however many: one Tab stop, arrows inside, Enter edits, Del rejects. */
export function Table({ store, view, which, search }: Props) {
  const { sentences } = view;
  const id = useUid();
  const items = useMemo(() => itemsOf(sentences, which, search), [sentences, which, search]);
  const [place, setPlace] = useState<Place | null>(null);
  const [editing, setEditing] = useState<Place | null>(null);
  const grid = useRef<HTMLElement | null>(null);
  const back = useRef(false);
  useLayoutEffect(() => {
    // After an edit by keys the keys are in the table again.
    if (editing || !back.current) return;
    back.current = false;
    grid.current?.focus();
  }, [editing]);
  const edit = (pair: string, side: Side | null) => {
    if (side) setPlace({ pair, side });
    else back.current = true;
    setEditing(side ? { pair, side } : null);
  };
  // The same function each time, so that lines that have not changed are not drawn again.
  const edited = useRef(edit);
  edited.current = edit;
  const [onEdit] = useState(() => (pair: string, side: Side | null) => edited.current(pair, side));
  const reject = (at: Place) => {
    const to = placeKey("ArrowDown", at, items);
    void store.reject([at.pair]);
    setPlace(to && to.pair !== at.pair ? to : placeKey("ArrowUp", at, items));
  };
  const key = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.altKey) return;
    grid.current = event.currentTarget as HTMLElement;
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== "z" || view.undoable.length === 0) return;
      void store.restore(view.undoable);
    } else {
      const to = placeKey(event.key, place, items);
      if (to) setPlace(to);
      else if (!place) return;
      else if (event.key === "Enter" || event.key === "F2") edit(place.pair, place.side);
      else if (event.key === "Delete" || event.key === "Backspace") reject(place);
      else return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const here = place && items.some((item) => item.key === place.pair) ? place : null;
  return (
    <Windowed<Item>
      items={items}
      id={(item) => item.key}
      estimate={(item) => (item.kind === "head" ? HEAD : LINE)}
      tall={TALL}
      active={here?.pair}
      attributes={
        {
          class: "pairs-table",
          role: "grid",
          tabIndex: 0,
          "aria-label": "Pairs by attribute: Enter edits, Delete rejects",
          "aria-rowcount": items.length,
          "aria-activedescendant": here ? `${id}-${here.pair}-${here.side}` : undefined,
          "data-testid": "pairs",
          onKeyDown: key,
          onFocus: (event: FocusEvent) => {
            grid.current = event.currentTarget as HTMLElement;
            if (event.target === event.currentTarget && !here)
              setPlace(placeKey("Home", null, items));
          },
        } as Record<string, unknown>
      }
    >
      {(item, index) =>
        item.kind === "head" ? (
          <HeadLine view={view} item={item} index={index} />
        ) : (
          <PairLine
            store={store}
            pair={item.pair}
            id={id}
            index={index}
            active={here?.pair === item.pair.id ? here.side : null}
            editing={editing?.pair === item.pair.id ? editing.side : null}
            onEdit={onEdit}
          />
        )
      }
    </Windowed>
  );
}

function HeadLine({
  view,
  item,
  index,
}: {
  view: View;
  item: Item & { kind: "head" };
  index: number;
}) {
  const list = view.inputs.lists.find((l) => l.name === item.list && l.kind === "attributes");
  const groups = view.inputs.lists.filter((l) => l.kind === "groups");
  const group = groups.findIndex((g) => g.name === list?.of?.[0]);
  return (
    <div
      class="pair-head"
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 1}
      data-testid="pair-head"
    >
      <span role="gridcell" tabIndex={-1}>
        <b class="bold">{item.name || "Other pairs"}</b>{" "}
        <span class="quiet">
          {item.shown === item.count ? item.count : `${item.shown} of ${item.count}`}
          {item.list && item.list !== item.name ? `, ${item.list}` : ""}
        </span>{" "}
        {group >= 0 && <span class={group === 1 ? "g2" : "g1"}>tied to {groups[group]!.name}</span>}
      </span>
    </div>
  );
}
