import { Head } from "../ui/Controls";
import { Chevron } from "../ui/Icons";
import { useUid } from "../uid";
import type { Misfit, SubjectOption } from "./records";

interface Props {
  view: { subjects: readonly SubjectOption[]; misfits: readonly Misfit[] };
  value: string;
  testid: string;
  /** What is chosen; a subject unless it says otherwise. */
  label?: string;
  onChange: (name: string) => void;
}

interface Row {
  name: string;
  text: string;
  fits: boolean;
}

/**
 * The subject that a bench asks: by kind, each with what it is, and in grey those that do not fit.
 *
 * These can be reached and chosen like the others: then the bench says why it cannot ask them.
 */
export function SubjectSelect({ view, value, testid, label = "Subject", onChange }: Props) {
  const id = useUid();
  const groups = grouped(view);
  const known = groups.some(([, rows]) => rows.some(({ name }) => name === value));
  return (
    <div class="control">
      <Head id={id} label={label} />
      <div class="select">
        <select
          id={id}
          class="field"
          data-testid={testid}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {!known && <option value={value}>{value || "none"}</option>}
          {groups.map(([group, rows]) => (
            <optgroup key={group} label={group || "Others"}>
              {rows.map(({ name, text, fits }) => (
                <option
                  key={name}
                  value={name}
                  class={fits ? "" : "misfit"}
                  aria-disabled={fits ? undefined : "true"}
                >
                  {/* The closed menu has room for the name only. */}
                  {name === value ? name : text}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        <Chevron />
      </div>
    </div>
  );
}

/** Subjects under their headings; headings with one that fits come first. */
export function grouped({ subjects, misfits }: Props["view"]): [string, Row[]][] {
  const groups = new Map<string, Row[]>();
  const add = (group: string, row: Row) => groups.set(group, [...(groups.get(group) ?? []), row]);
  for (const { name, group, what } of subjects)
    add(group, { name, text: [name, what].filter(Boolean).join(" · "), fits: true });
  for (const { name, group, reason } of misfits)
    add(group, { name, text: `${name} · ${reason}`, fits: false });
  return [...groups];
}
