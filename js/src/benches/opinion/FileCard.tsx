import { useState } from "preact/hooks";
import type { ColumnCard, GroupName, Picture } from "../../generated/opinion";
import { many, whole } from "../../lib/format";
import { Segmented, Select } from "../../lib/ui/Controls";
import { Disclosure } from "../../lib/ui/Disclosure";
import { FileButton } from "../../lib/ui/FileButton";
import { inPercent, NumberField } from "../../lib/ui/NumberField";
import type { Role, Store, View } from "./store";

const ROLES: { value: Role; label: string }[] = [
  { value: "group", label: "group" },
  { value: "answer", label: "answer" },
  { value: "order", label: "order" },
  { value: "item", label: "item" },
  { value: "case", label: "case" },
  { value: "model", label: "model" },
  { value: "cluster", label: "cluster" },
  { value: "level", label: "level" },
  { value: "score", label: "score" },
  { value: "", label: "only kept" },
];

interface Props {
  store: Store;
  view: View;
}

/** What each column means, how many rows are used, and how they are read. */
export function FileCard({ store, view }: Props) {
  const { columns, picture, state, wants_words } = view.answer;
  return (
    <section class="panel file-card" aria-label="The file">
      <ul class="column-cards" aria-label="Columns">
        {columns.map((one) => (
          <Column key={one.column} store={store} one={one} />
        ))}
      </ul>
      {wants_words && (
        <FileButton
          text="Open the groups and words of the tests (CSV)"
          testid="open-words"
          onPick={([file]) => void store.send(file, "words")}
        />
      )}
      {picture && state !== "error" && <Rows picture={picture} />}
      {picture && state !== "error" && <Options store={store} view={view} picture={picture} />}
    </section>
  );
}

function Column({ store, one }: { store: Store; one: ColumnCard }) {
  const { column, role, values, about } = one;
  return (
    <li data-testid="column">
      <Select
        label={column}
        testid={`role-${column}`}
        value={role}
        options={ROLES}
        aside={values > 0 && <span title={about}>{many(values, "value")}</span>}
        onChange={(to) => store.setRole(column, to)}
      />
    </li>
  );
}

/** Rows by what became of them, as a bar with counts; behind each reason its first rows. */
function Rows({ picture }: { picture: Picture }) {
  const { used, set_aside, notes } = picture;
  const [open, setOpen] = useState("");
  const total = used + set_aside.reduce((sum, { count }) => sum + count, 0);
  const shown = set_aside.find(({ reason }) => reason === open);
  return (
    <>
      <div class="bar" aria-hidden="true">
        <span class="used" style={{ flexGrow: used }} />
        {set_aside.map(({ reason, count }) => (
          <span key={reason} class="aside" style={{ flexGrow: Math.max(count, total / 300) }} />
        ))}
      </div>
      <p class="wrap-row reasons" data-testid="rows">
        <span>
          <b>{whole(used)}</b> used
        </span>
        {set_aside.map(({ reason, count }) => (
          <button
            key={reason}
            type="button"
            class="link"
            aria-expanded={open === reason}
            data-testid={`aside-${reason}`}
            onClick={() => setOpen(open === reason ? "" : reason)}
          >
            <b>{whole(count)}</b> {reason}
          </button>
        ))}
      </p>
      {shown && (
        <table class="numbers" data-testid="examples">
          <caption>The first of them</caption>
          <tbody>
            {shown.examples.map(([row, text, why]) => (
              <tr key={row}>
                <th scope="row">{row}</th>
                <td>“{text}”</td>
                <td>{why}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {notes.map((note) => (
        <p key={note} class="under">
          {note}
        </p>
      ))}
    </>
  );
}

const READINGS = [
  { value: "first place", label: "first place" },
  { value: "first name", label: "first name" },
] as const;

/** How answers are read and compared, as far as it matters for their kind. */
function Options({ store, view, picture }: Props & { picture: Picture }) {
  const { inputs } = view;
  const { groups, options, ranked, margin, reference } = picture;
  const isRate = options.length > 0;
  const limits = store.input("alike");
  return (
    <div class="readings wrap-row">
      {ranked && (
        <div>
          <Segmented {...store.input("reading")} label="A ranking counts by" options={READINGS} />
        </div>
      )}
      {options.length > 0 && (
        <div>
          <Select
            {...store.input("yes")}
            label="Counts as a yes"
            value={inputs.yes || options.at(-1)!}
            options={options.map((value) => ({ value, label: value }))}
          />
        </div>
      )}
      {groups.length > 0 && !ranked && (
        <>
          <div>
            <Select
              {...store.input("reference")}
              label="Compared with"
              value={inputs.reference || reference}
              options={groups.map(({ group, name }) => ({ value: group, label: name }))}
            />
          </div>
          <div>
            <NumberField
              {...(isRate
                ? { ...inPercent({ ...limits, value: margin }), min: 0, max: 100, step: 1 }
                : { ...limits, value: margin })}
              label={isRate ? "Alike within, points" : "Alike within"}
            />
          </div>
        </>
      )}
      <div>
        <NumberField {...inPercent(store.input("level"))} label="Intervals, %" />
      </div>
      {groups.length > 0 && <GroupNames store={store} groups={groups} />}
    </div>
  );
}

/** What groups are called, for files that abbreviate them; all are taken at once. */
function GroupNames({ store, groups }: { store: Store; groups: readonly GroupName[] }) {
  return (
    <Disclosure label="Group names" text="Group names" testid="group-names" look="button">
      {(close) => (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            const typed = new FormData(event.currentTarget);
            const names = groups.map(({ group }) => ({
              group,
              name: String(typed.get(group)).trim(),
            }));
            store.set({ labels: names.filter(({ group, name }) => name && name !== group) });
            close();
          }}
        >
          {groups.map(({ group, name }) => (
            <label key={group}>
              {group}
              <input class="field" name={group} defaultValue={name} maxLength={80} />
            </label>
          ))}
          <button type="submit" class="button">
            Rename
          </button>
        </form>
      )}
    </Disclosure>
  );
}
