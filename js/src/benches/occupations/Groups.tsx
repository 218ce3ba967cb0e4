import { useState } from "preact/hooks";
import type { Group } from "../../generated/occupations";
import { CURVES, JNDS, SCORINGS } from "../../lib/bench/options";
import { Segmented, Select } from "../../lib/ui/Controls";
import { Disclosure } from "../../lib/ui/Disclosure";
import { Chevron } from "../../lib/ui/Icons";
import { Term } from "../../lib/ui/Term";
import type { WordList } from "../../lib/word-lists/types";
import { WordLists } from "../../lib/word-lists/WordLists";
import { pairCount, pairingText } from "./pairing";
import type { Inputs, Store, View } from "./store";

/** The groups compared, as a button that opens all about them. */
export function Groups({ store, view }: { store: Store; view: View }) {
  const { groups } = view.inputs;
  const text = (
    <>
      <span class="rest ellipsis" title={groups.map((group) => group.name).join(", ")}>
        <Names groups={groups} />
        {groups.length === 2 && `, ${pairCount(view.inputs)}`}
      </span>
      <Chevron />
    </>
  );
  return (
    <Disclosure
      label="Groups"
      text={text}
      testid="groups"
      look="field groups-button in-line"
      class="groups right-card"
    >
      {() => <GroupsCard store={store} view={view} />}
    </Disclosure>
  );
}

function Names({ groups }: { groups: readonly Group[] }) {
  if (groups.length === 0) return <>choose two groups</>;
  if (groups.length > 2) return <b class="bold">{groups.map((g) => g.name).join(", ")}</b>;
  return (
    <>
      <b class="g1 bold">{groups[0]!.name || "group 1"}</b>
      {groups[1] && (
        <>
          {" to "}
          <b class="g2 bold">{groups[1].name || "group 2"}</b>
        </>
      )}
    </>
  );
}

const PAIRINGS = [
  { value: "matched", label: "Matched" },
  { value: "all", label: "All combinations" },
  { value: "sets", label: "Mean cues" },
] as const;
const PAIRS_AS = [
  { value: "resampled", label: "A sample" },
  { value: "fixed", label: "All there is" },
] as const;
/** Specs that are loaded with one press; the word lists' own button has the whole catalogue. */
const PRESETS = [
  { name: "gender-pairs", label: "Gender pairs" },
  { name: "love-hate", label: "Love and hate" },
  { name: "manzini-religion", label: "Religions" },
  { name: "manzini-race", label: "Races" },
] as const;

function GroupsCard({ store, view }: { store: Store; view: View }) {
  const { inputs, marks } = view;
  const { groups, pairing } = inputs;
  const [problem, setProblem] = useState("");
  const preset = async (name: string) => {
    const reply = await store.command("load-spec", { name, where: "predefined" });
    const loaded = reply.ok && reply.content ? groupsOf(JSON.parse(reply.content).lists) : [];
    if (loaded.length < 2) return setProblem(reply.ok ? "It has no groups." : reply.message);
    setProblem("");
    store.set({ groups: loaded, contrast: 0, ...paired(loaded, pairing) });
  };
  return (
    <div class="stack groups-card">
      <div class="presets wrap-row" role="group" aria-label="Load groups">
        {PRESETS.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            class="button"
            data-testid={`preset-${name}`}
            onClick={() => preset(name)}
          >
            {label}
          </button>
        ))}
        {groups.length === 2 && (
          <button
            type="button"
            class="button plain"
            data-testid="swap-groups"
            onClick={() => store.set({ groups: [...groups].reverse() })}
          >
            Swap
          </button>
        )}
      </div>
      {problem && (
        <p class="problem-line" role="alert">
          {problem}
        </p>
      )}
      <Segmented {...store.input("pairing")} label="Cues are paired" options={PAIRINGS} />
      <p class="quiet" data-testid="pairing-text">
        {pairingText(inputs)}
      </p>
      {pairing !== "sets" && (
        <Segmented {...store.input("pairs_as")} label="Pooled pairs are" options={PAIRS_AS} />
      )}
      <WordLists
        title="Cues"
        compact
        lists={groups.map((g) => ({ ...g, kind: "groups" as const }))}
        marks={marks.filter((m) => m.list > 0).map((m) => ({ ...m, list: m.list - 1 }))}
        onChange={(lists) => store.set(edited(lists, inputs))}
        onCommand={(name, args) => store.command(name, args)}
      />
      <div class="numbers-row group-options">
        <Select {...store.input("scoring")} label="Scoring" options={SCORINGS} />
        <Select {...store.input("curve")} label="Curve" options={CURVES} />
        <Select
          {...store.input("jnd")}
          label="JND"
          aside={<Term name="JND">meaning</Term>}
          options={JNDS}
        />
      </div>
    </div>
  );
}

/**
 * What an edit of the lists makes of the groups.
 *
 * An edit changes, adds or removes one list at a time, and each list is a group. Lists of other
 * kinds at once are those of a loaded spec: its attribute lists are no groups.
 */
export function edited(lists: readonly WordList[], { groups, pairing }: Inputs): Partial<Inputs> {
  const others = lists.filter((list) => list.kind !== "groups").length;
  const kept = groups.every((group) => lists.some((list) => list.name === group.name));
  const loaded = others > (kept ? 1 : 0) ? groupsOf(lists) : [];
  if (loaded.length > 1) return { groups: loaded, contrast: 0, ...paired(loaded, pairing) };
  const now = lists.map(({ name, terms }) => ({ name, terms }));
  return now.length === groups.length ? { groups: now } : { groups: now, contrast: 0 };
}

/** The groups of a spec: its groups, or the two sides of its cue pairs. */
export function groupsOf(lists: readonly WordList[]): Group[] {
  const groups = lists.filter((l) => l.kind === "groups");
  const cues = lists.filter((l) => l.kind === "cue_1" || l.kind === "cue_2");
  const shown = cues.length >= 2 ? cues : groups;
  return shown.map(({ name, terms }) => ({ name: named(name, terms), terms: [...terms] }));
}

/** The sides of cue pairs are called by their first cues. */
const named = (name: string, terms: readonly string[]) =>
  /^cues? ?[12]|^cue_[12]$/i.test(name) ? (terms[0] ?? name) : name;

/** Lists of unequal length cannot be matched: all combinations can always be asked. */
export function paired(groups: readonly Group[], pairing: string): { pairing?: "all" } {
  const unequal = groups.some((g) => g.terms.length !== groups[0]!.terms.length);
  return unequal && pairing === "matched" ? { pairing: "all" } : {};
}
