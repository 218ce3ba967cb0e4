import type { Columns } from "../../lib/chart/Forest";
import type { Scale } from "../../lib/scale";
import { Disclosure } from "../../lib/ui/Disclosure";
import { WordLists } from "../../lib/word-lists/WordLists";
import type { Store, View } from "./store";
import { GroupsBody } from "./WordRowsBody";
import { groupsHeight } from "./wordRows";

interface Props {
  store: Store;
  view: View;
  columns: Columns;
  x: Scale;
}

/** Two groups of words on the same axis, and what tells them apart. */
export function GroupsView({ store, view, columns, x }: Props) {
  const { picture } = view.answer;
  const groups = picture?.groups ?? null;
  const { lists, marks } = { lists: view.inputs.lists, marks: view.marks };
  return (
    <div class="groups-view" data-testid="groups">
      <svg
        class="drawing"
        width={columns.width}
        height={groupsHeight(groups?.rows.length ?? 0)}
        role="img"
        aria-label={groups?.text || picture?.groups_reason || "Two groups of words"}
        data-difference={groups?.difference}
        data-low={groups?.low}
        data-high={groups?.high}
        data-d={groups?.d ?? undefined}
        data-p={groups?.p}
      >
        <GroupsBody groups={groups} words={picture?.words ?? null} columns={columns} x={x} />
      </svg>
      <p class="under groups-text" data-testid="groups-text">
        {groups ? groups.text : picture?.groups_reason}{" "}
        <span class="nowrap">
          <i class="key tone-1" /> positive
        </span>
        ,{" "}
        <span class="nowrap">
          <i class="key tone-2" /> negative in the lexicon.
        </span>{" "}
        <Disclosure
          label="Groups of words"
          text="Edit groups"
          testid="edit-groups"
          class="edit-groups right-card outer-card"
        >
          {() => (
            <WordLists
              title="Groups"
              compact
              lists={lists}
              marks={marks}
              onChange={(next) => store.set({ lists: next })}
              onCommand={(name, args) => store.command(name, args)}
            />
          )}
        </Disclosure>
      </p>
    </div>
  );
}
