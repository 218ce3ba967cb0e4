import type { RefObject } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { whole } from "../format";
import { womenSecond } from "../groupOrder";
import { Mark } from "../ui/Icons";
import { MenuItem } from "../ui/MenuItem";
import { Popover } from "../ui/Popover";
import { AddField } from "./AddField";
import type { Notes } from "./annotate";
import { ChipBox } from "./ChipBox";
import { Choice } from "./Choice";
import { More } from "./Icons";
import type { Model, View } from "./model";
import { asColumn } from "./parse";
import type { ListKind, MarkKind } from "./types";

export const KINDS: readonly { value: ListKind; label: string }[] = [
  { value: "items", label: "Words to ask about" },
  { value: "groups", label: "Group" },
  { value: "attributes", label: "Attribute list" },
  { value: "controls", label: "Control list" },
  { value: "cue_1", label: "Cues 1, in pairs" },
  { value: "cue_2", label: "Cues 2, in pairs" },
];

export interface Filter {
  text: string;
  kind: MarkKind | null;
}

interface Props {
  model: Model;
  view: View;
  index: number;
  notes: Notes;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  fixed: boolean;
  /** Its name and counts stand in the editor's own heading. */
  bare: boolean;
  womenBlue: boolean;
  rows: number;
  id: string;
  helpId: string;
  editor: RefObject<HTMLElement | null>;
  onHelp: () => void;
  onLeave: (list: number) => void;
  onFile: (list: number, file: File) => void;
}

/** Words from which a search field is worth its room. */
const SEARCHED = 25;
const MOST_ROWS = 20;

/** One list: its name and counts, its chips, the field that adds to them, and a search. */
export function ListCard(props: Props) {
  const { model, view, index, notes, filter } = props;
  const list = view.lists[index]!;
  const { terms } = list;
  const field = useRef<HTMLInputElement>(null);
  const [tall, setTall] = useState(false);
  const [over, setOver] = useState(false);
  const shown = filtered(terms, notes, filter);
  const searched = terms.length >= SEARCHED || filter.text !== "";
  const group = groupNumber(view, index, props.womenBlue);
  return (
    <div
      class={`list ${over ? "file-over" : ""}`}
      role="group"
      aria-label={list.name}
      data-testid="word-list"
      data-list={index}
      data-count={terms.length}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer?.files[0];
        if (file) props.onFile(index, file);
        else model.addText(index, event.dataTransfer?.getData("text/plain") ?? "");
      }}
    >
      {!props.bare && (
        <header class="list-head in-line">
          {group && <Mark group={group} />}
          <Name {...props} />
          <Counts notes={notes} count={terms.length} filter={filter} onFilter={props.onFilter} />
          <Menu {...props} />
        </header>
      )}
      <ChipBox
        model={model}
        view={view}
        index={index}
        notes={notes}
        shown={shown}
        rows={tall ? MOST_ROWS : props.rows}
        id={props.id}
        label={`${list.name}, ${terms.length} terms`}
        describedBy={props.helpId}
        editor={props.editor}
        onType={() => field.current?.focus()}
        onHelp={props.onHelp}
        onLeave={props.onLeave}
      />
      <div class="list-foot wrap-row">
        <AddField model={model} index={index} label={`Add to ${list.name}`} field={field} />
        {searched && (
          <input
            class="field search"
            type="search"
            dir="auto"
            placeholder="find"
            aria-label={`Find in ${list.name}`}
            data-testid="find-word"
            value={filter.text}
            onInput={(e) => props.onFilter({ ...filter, text: e.currentTarget.value })}
          />
        )}
        {shown && (
          <button
            type="button"
            class="button plain"
            data-testid="show-all"
            onClick={() => props.onFilter({ text: "", kind: null })}
          >
            {whole(shown.length)} of {whole(terms.length)}: show all
          </button>
        )}
        {terms.length >= SEARCHED && (
          <button
            type="button"
            class="button plain"
            aria-pressed={tall}
            data-testid="taller"
            onClick={() => setTall(!tall)}
          >
            {tall ? "Less" : "More"} room
          </button>
        )}
      </div>
    </div>
  );
}

/** Groups 1 and 2 carry their mark. */
function groupNumber(view: View, index: number, womenBlue: boolean): 1 | 2 | null {
  const list = view.lists[index]!;
  const groups = view.lists.filter((l) => l.kind === "groups");
  const nth = groups.indexOf(list);
  if (nth < 0 || nth > 1) return null;
  const swapped = womenBlue && groups.length === 2 && womenSecond(groups);
  return (nth === 0) === swapped ? 2 : 1;
}

export function filtered(terms: readonly string[], notes: Notes, filter: Filter): number[] | null {
  const text = filter.text.trim().toLowerCase();
  if (!text && !filter.kind) return null;
  const places: number[] = [];
  terms.forEach((term, i) => {
    if (text && !term.toLowerCase().includes(text)) return;
    if (filter.kind && !notes.at.get(i)?.some((m) => m.kind === filter.kind)) return;
    places.push(i);
  });
  return places;
}

interface CountsProps {
  notes: Notes;
  count: number;
  filter: Filter;
  onFilter: (filter: Filter) => void;
}

/** "60: 30 unknown": each part that is odd is a button that shows only those. */
export function Counts({ notes, count, filter, onFilter }: CountsProps) {
  const parts = (
    [
      ["unknown", notes.unknown, "unknown"],
      ["duplicate", notes.duplicates, "twice"],
      ["overlap", notes.overlaps, "in both lists"],
    ] as const
  ).filter(([kind, n]) => n > 0 || filter.kind === kind);
  return (
    <span class="counts" data-testid="counts">
      {whole(count)}
      {parts.length > 0 && ":"}
      {parts.map(([kind, n, label]) => (
        <button
          key={kind}
          type="button"
          class={`count ${kind}`}
          aria-pressed={filter.kind === kind}
          title={`Show only these ${n}`}
          data-testid={`count-${kind}`}
          onClick={() => onFilter({ ...filter, kind: filter.kind === kind ? null : kind })}
        >
          {whole(n)} {label}
        </button>
      ))}
    </span>
  );
}

function Name({ model, view, index, fixed }: Props) {
  const { name, kind, of } = view.lists[index]!;
  const label = KINDS.find((k) => k.value === (kind ?? "items"))?.label;
  const about = of?.length ? `${label}, of ${of.join(", ")}` : label;
  if (fixed)
    return (
      <h3 class="list-name ellipsis" title={name}>
        <bdi>{name}</bdi>
      </h3>
    );
  return (
    <input
      class="list-name ellipsis"
      type="text"
      dir="auto"
      maxLength={80}
      aria-label="Name of the list"
      title={about}
      data-testid="list-name"
      // Sized by its text: the counts follow it.
      style={{ width: `calc(${Math.min(24, Math.max(3, name.length))}ch + 18px)` }}
      key={name}
      defaultValue={name}
      onBlur={(event) => {
        model.renameList(index, event.currentTarget.value);
        event.currentTarget.value = model.view.lists[index]?.name ?? "";
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") event.currentTarget.value = name;
      }}
    />
  );
}

type MenuProps = Pick<Props, "model" | "view" | "index" | "notes" | "fixed" | "onFilter">;

export function Menu(props: MenuProps) {
  const { model, view, index, notes, fixed } = props;
  const { name, kind, terms } = view.lists[index]!;
  const [open, setOpen] = useState(false);
  const [copied, setCopied] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => setOpen(false), []);
  useEffect(() => setCopied(false), [open]);
  const act = (run: () => void) => () => {
    run();
    setOpen(false);
    opener.current?.focus();
  };
  const unknown = () =>
    new Set([...notes.at].filter(([, m]) => m[0]?.kind === "unknown").map(([i]) => i));
  const items: [string, string, boolean, () => void][] = [
    ["sort", "Sort from A to Z", terms.length > 1, () => model.sort(index)],
    [
      "drop-unknown",
      "Take the unknown out",
      notes.unknown > 0,
      () => model.removeMany(index, unknown(), "unknown"),
    ],
    ["drop-repeats", "Keep each word once", notes.duplicates > 0, () => model.dropRepeats(index)],
    ["clear", "Clear the list", terms.length > 0, () => model.clear(index)],
  ];
  return (
    <div class="menu rigid push">
      <button
        ref={opener}
        type="button"
        class="icon"
        aria-label={`More for ${name}`}
        aria-expanded={open}
        data-testid="list-menu"
        onClick={() => setOpen(!open)}
      >
        <More />
      </button>
      {open && (
        <Popover label={name} testid="list-menu-card" opener={opener} onClose={close}>
          {items.map(([id, label, on, run]) => (
            <MenuItem key={id} disabled={!on} testid={`menu-${id}`} onPick={act(run)}>
              {label}
            </MenuItem>
          ))}
          <MenuItem
            disabled={terms.length === 0}
            testid="menu-copy"
            onPick={async () => {
              const text = asColumn(terms);
              try {
                await navigator.clipboard.writeText(text);
                setCopied(true);
                model.say(`Copied ${terms.length} terms.`);
              } catch {
                model.tell(
                  "This page may not write to the clipboard. Select the words with Ctrl A and copy them with Ctrl C.",
                  false,
                );
                setOpen(false);
              }
            }}
          >
            {copied ? "Copied" : "Copy as a column"}
          </MenuItem>
          {!fixed && (
            <>
              <div class="menu-field">
                <span class="quiet">It is saved as</span>
                <Choice
                  label="It is saved as"
                  testid="list-kind"
                  value={kind ?? "items"}
                  options={KINDS}
                  onChange={(value) => model.setKind(index, value)}
                />
              </div>
              {kind === "attributes" && <Stereotypes {...props} />}
              <MenuItem
                disabled={view.lists.length < 2}
                testid="menu-remove-list"
                onPick={act(() => model.removeList(index))}
              >
                Remove the list
              </MenuItem>
            </>
          )}
        </Popover>
      )}
    </div>
  );
}

/** Which groups an attribute list is a stereotype of. */
function Stereotypes({ model, view, index }: MenuProps) {
  const groups = view.lists.filter((l) => l.kind === "groups").map((l) => l.name);
  const of = view.lists[index]!.of ?? [];
  if (groups.length === 0) return null;
  return (
    <fieldset class="menu-field">
      <legend class="quiet">Stereotype of</legend>
      {groups.map((group) => (
        <label key={group} class="check">
          <input
            type="checkbox"
            checked={of.includes(group)}
            onChange={(e) =>
              model.setOf(
                index,
                groups.filter((g) => (g === group ? e.currentTarget.checked : of.includes(g))),
              )
            }
          />
          <bdi>{group}</bdi>
        </label>
      ))}
    </fieldset>
  );
}
