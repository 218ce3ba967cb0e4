import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { memo } from "../memo";
import { Cross, Shared, Twice, Warning } from "./Icons";
import { KIND_NAMES, type Model } from "./model";
import type { MarkKind, TermMark } from "./types";

interface Props {
  id: string;
  model: Model;
  list: number;
  position: number;
  size: number;
  term: string;
  marks: TermMark[] | undefined;
  active: boolean;
  selected: boolean;
  editing: boolean;
  dragged: boolean;
  drop: "" | "before" | "after";
  box: RefObject<HTMLElement | null>;
}

const SIGNS: Record<MarkKind, () => preact.JSX.Element> = {
  unknown: Warning,
  duplicate: Twice,
  overlap: Shared,
};

/** One term. The cross is for pointers; by keyboard it is Delete. */
export const Chip = memo(function Chip(props: Props) {
  const { model, list, position, term, marks, active, selected, dragged, drop } = props;
  const kind = marks?.[0]?.kind;
  const Sign = kind && SIGNS[kind];
  const spoken = marks ? `${term}, ${marks.map((m) => KIND_NAMES[m.kind]).join(", ")}` : term;
  const onCross = useRef(true);
  const click = (event: MouseEvent) => {
    props.box.current?.focus({ preventScroll: true });
    if ((event.target as Element).closest(".chip-x") && onCross.current)
      return model.removeAt(list, position);
    const toggle = event.ctrlKey || event.metaKey;
    model.activate(list, position, { extend: event.shiftKey, toggle });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox around it takes the keys
    <div
      id={props.id}
      class={`term ${kind ?? ""} ${dragged ? "dragged" : ""} ${drop ? `drop-${drop}` : ""}`}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      aria-label={spoken}
      aria-posinset={position + 1}
      aria-setsize={props.size}
      title={marks ? `${term}: ${marks.map((m) => m.reason).join("; ")}` : term}
      data-testid="chip"
      data-position={position}
      data-active={active ? "" : undefined}
      data-kind={kind}
      onPointerDown={(event) => {
        // A browser moves a finger's tap to the nearest thing that can be clicked: what counts is
        // where the finger was.
        const cross = event.currentTarget.querySelector(".chip-x")?.getBoundingClientRect();
        onCross.current = !cross || (event.clientX >= cross.left && event.clientX <= cross.right);
      }}
      onMouseDown={(event) => {
        // The listbox keeps the focus; text is not selected while chips are.
        if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
      }}
      onClick={props.editing ? undefined : click}
      onDblClick={(event) => {
        if (!(event.target as Element).closest(".chip-x")) model.startEditing({ list, position });
      }}
    >
      {Sign && <Sign />}
      {props.editing ? (
        <Editing {...props} />
      ) : (
        <>
          <bdi class="term-text ellipsis">{term}</bdi>
          <span class="chip-x" data-testid="chip-remove" aria-hidden="true">
            <Cross />
          </span>
        </>
      )}
    </div>
  );
});

function Editing({ model, list, position, term, box }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const finish = (text: string | null, back: boolean) => {
    if (done.current) return;
    done.current = true;
    if (back) box.current?.focus({ preventScroll: true });
    if (text === null) model.startEditing(null);
    else model.replaceAt(list, position, text);
  };
  return (
    <input
      ref={field}
      class="term-edit"
      type="text"
      dir="auto"
      aria-label={`Change ${term}`}
      data-testid="chip-edit"
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      style={{ width: `${Math.min(30, Math.max(6, term.length + 1))}ch` }}
      defaultValue={term}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Enter") finish(event.currentTarget.value, true);
        else if (event.key === "Escape") finish(null, true);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onBlur={(event) => finish(event.currentTarget.value, false)}
    />
  );
}
