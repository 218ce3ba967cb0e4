import { optionsOf, Segmented, Select } from "../../lib/ui/Controls";
import { listsOf } from "./parts";
import type { Store, View } from "./store";

const DDOFS = [
  { value: "1", label: "SD over n − 1" },
  { value: "0", label: "SD over n" },
] as const;
export const ALTERNATIVES = [
  { value: "greater", label: "greater" },
  { value: "less", label: "less" },
  { value: "two-sided", label: "two-sided" },
] as const;

/** Which two groups and lists WEAT compares, its ddof, and which splits count. */
export function WeatOptions({ store, view }: { store: Store; view: View }) {
  const { inputs, answer } = view;
  const weat = answer.picture?.before.weat ?? null;
  const groups = listsOf(inputs.lists, "groups").map((l) => l.name);
  const lists = listsOf(inputs.lists, "stereotypes").map((l) => l.name);
  const groupNow = pair(inputs.weat_groups, weat?.groups, groups);
  const listNow = pair(inputs.weat_attributes, weat?.attributes, lists);
  const one = (name: "weat_groups" | "weat_attributes", now: string[], names: string[]) =>
    [0, 1].map((i) => (
      <Select
        key={`${name} ${i}`}
        label={`${name === "weat_groups" ? "Group" : "List"} ${i + 1}`}
        testid={`${name === "weat_groups" ? "weat-group" : "weat-list"}-${i + 1}`}
        value={now[i] ?? ""}
        options={optionsOf(names)}
        onChange={(value) => store.set({ [name]: chosen(now, i, value) })}
      />
    ));
  return (
    <div class="stack">
      <div class="pairs-of">
        {one("weat_groups", groupNow, groups)}
        {one("weat_attributes", listNow, lists)}
      </div>
      <Segmented
        label="Standard deviation divided by"
        testid="ddof"
        value={String(inputs.ddof)}
        options={DDOFS}
        onChange={(value) => store.set({ ddof: Number(value) })}
      />
      <Segmented {...store.input("alternative")} label="Splits that count" options={ALTERNATIVES} />
    </div>
  );
}

/** What is chosen, else what was answered, else the first two. */
const pair = (set: string[], answered: readonly string[] | undefined, names: string[]): string[] =>
  set.length === 2 ? set : answered ? [...answered] : names.slice(0, 2);

/** The two after one of them is chosen anew: where it is the other one, they change places. */
export function chosen(now: readonly string[], i: number, value: string): string[] {
  const next = [now[0] ?? "", now[1] ?? ""];
  if (next[1 - i] === value) next[1 - i] = next[i]!;
  next[i] = value;
  return next;
}
