import { Select } from "../ui/Controls";
import type { WordList } from "./types";

interface Props<L extends WordList> {
  /** Attribute lists. */
  lists: readonly L[];
  /** Names of the groups. */
  groups: readonly string[];
  onChange: (list: L, of: string[]) => void;
}

/** Whose stereotype each attribute list is. */
export function Owners<L extends WordList>({ lists, groups, onChange }: Props<L>) {
  return (
    <div class="owners">
      {lists.map((list, i) => {
        const now = (list.of ?? []).join(SEPARATOR);
        const options = [...new Set(["", ...groups, now])];
        return (
          <Select
            key={list.name}
            label={`${list.name} is a stereotype of`}
            testid={`owner-${i}`}
            value={now}
            options={options.map((value) => ({
              value,
              label: value ? value.split(SEPARATOR).join(", ") : "no group yet",
            }))}
            onChange={(owner) => onChange(list, owner ? owner.split(SEPARATOR) : [])}
          />
        );
      })}
    </div>
  );
}

const SEPARATOR = "\u001f";
