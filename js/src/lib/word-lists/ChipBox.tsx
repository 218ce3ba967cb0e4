import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useFont, useWidth } from "../hooks";
import { whenEmpty } from "../ui/listbox";
import type { Notes } from "./annotate";
import { Chip } from "./Chip";
import { chipWidths, GAP, PAD, ROW } from "./chips";
import { useChipDrag } from "./drag";
import type { Model, View } from "./model";
import { asColumn } from "./parse";
import { packRows, rowOf, rowsInView, vertical } from "./rows";

interface Props {
  model: Model;
  view: View;
  index: number;
  notes: Notes;
  /** Positions that a filter leaves; null when all are shown. */
  shown: readonly number[] | null;
  /** Rows seen at once before the box scrolls. */
  rows: number;
  id: string;
  label: string;
  describedBy: string;
  editor: RefObject<HTMLElement | null>;
  /** To the field that adds terms. */
  onType: () => void;
  /** To the list that a term was moved to. */
  onLeave: (list: number) => void;
  /** To the suggestions of a marked term. */
  onHelp: () => void;
}

/**
 * The chips of one list: a listbox with one Tab stop, of which only rows in view are drawn.
 *
 * The box itself keeps the focus and names the active chip, so that the focus is never lost when a
 * chip is removed or scrolled out of view.
 */
export function ChipBox(props: Props) {
  const { model, view, index, notes, shown } = props;
  const { terms } = view.lists[index]!;
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const font = useFont(box);
  const room = useWidth(box, 320) - 2 * PAD;

  const widths = useMemo(() => chipWidths(terms, notes, shown, font), [terms, notes, shown, font]);
  const starts = useMemo(() => packRows(widths, room, GAP), [widths, room]);
  const count = widths.length;
  const at = (k: number) => (shown ? shown[k]! : k);
  const indexOf = (position: number) => (shown ? shown.indexOf(position) : position);
  const activeAt = Math.max(0, indexOf(view.active[index] ?? 0));
  const seen = Math.max(1, Math.min(starts.length, props.rows)) * ROW;
  const [from, to] = rowsInView(scroll, seen, ROW, starts.length);

  const drawn = Math.min(count - 1, activeAt);
  const intoView = () => {
    const node = box.current;
    if (!node || drawn < 0) return;
    const top = rowOf(starts, drawn) * ROW;
    if (top < node.scrollTop) node.scrollTop = top;
    else if (top + ROW + PAD > node.scrollTop + node.clientHeight)
      node.scrollTop = top + ROW + PAD - node.clientHeight;
  };
  // Not with each new row: marks that arrive would take away what the hand has scrolled to.
  useLayoutEffect(intoView, [view.active[index], terms.length, shown === null]);

  const drag = useChipDrag(model, index, box, props.editor);
  const active = count > 0 ? at(drawn) : -1;
  const optionId = (position: number) => `${props.id}-${index}-${position}`;

  const key = (event: KeyboardEvent) => {
    if (event.target !== box.current) return;
    if (!onKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const go = (k: number, event: KeyboardEvent) => {
    const position = at(Math.max(0, Math.min(k, count - 1)));
    if (event.shiftKey) model.activate(index, position, { extend: true });
    else if (event.ctrlKey || event.metaKey) model.goTo(index, position);
    else model.activate(index, position);
    return true;
  };
  const page = Math.max(1, Math.floor(seen / ROW) - 1);
  const onKey = (event: KeyboardEvent): boolean => {
    const command = event.ctrlKey || event.metaKey;
    const { key } = event;
    if (event.altKey) {
      if (active < 0 || command) return false;
      if (key === "ArrowLeft" || key === "ArrowRight")
        model.nudge(index, active, key === "ArrowLeft" ? -1 : 1);
      else if (key === "ArrowUp" || key === "ArrowDown")
        props.onLeave(model.toOther(index, active, key === "ArrowUp" ? -1 : 1));
      else return false;
      return true;
    }
    if (command && key.toLowerCase() === "a") {
      model.select(index, new Set(Array.from({ length: count }, (_, k) => at(k))));
      return true;
    }
    if (command && !key.startsWith("Arrow") && key !== "Home" && key !== "End" && key !== " ")
      return false;
    if (count === 0) {
      if (key === "Enter" || printable(event)) props.onType();
      return key === "Enter";
    }
    const by = (n: number) => vertical(starts, widths, GAP, drawn, n);
    switch (key) {
      case "ArrowRight":
        return go(drawn + 1, event);
      case "ArrowLeft":
        return go(drawn - 1, event);
      case "ArrowDown":
        return go(by(1), event);
      case "ArrowUp":
        return go(by(-1), event);
      case "PageDown":
        return go(by(page), event);
      case "PageUp":
        return go(by(-page), event);
      case "Home":
        return go(0, event);
      case "End":
        return go(count - 1, event);
      case " ":
        model.activate(index, active, { toggle: true });
        return true;
      case "Delete":
      case "Backspace":
        model.removeAt(index, active);
        return true;
      case "F2":
        model.startEditing({ list: index, position: active });
        return true;
      case "Enter":
        if (notes.at.get(active)?.[0]?.kind === "unknown") props.onHelp();
        else model.startEditing({ list: index, position: active });
        return true;
      case "Escape":
        if (view.selected.size === 0 || view.current !== index) return false;
        model.select(index, new Set());
        return true;
      default:
        // The letter lands in the field that gets the focus now.
        if (printable(event)) props.onType();
        return false;
    }
  };

  const copy = (event: ClipboardEvent, cut: boolean) => {
    if (event.target !== box.current || active < 0) return;
    const which = model.targets(index, active);
    event.clipboardData?.setData("text/plain", asColumn(model.termsAt(index, which)));
    event.preventDefault();
    if (cut) model.removeAt(index, active);
    else model.say(`Copied ${which.size === 1 ? terms[active] : `${which.size} terms`}.`);
  };

  const rows = [];
  for (let r = from; r < to; r++) {
    const chips = [];
    for (let k = starts[r]!; k < (starts[r + 1] ?? count); k++) {
      const position = at(k);
      const { drag: dragged, editing } = view;
      const over = dragged?.over?.list === index ? dragged.over.before : -1;
      chips.push(
        <Chip
          key={position}
          id={optionId(position)}
          model={model}
          list={index}
          position={position}
          size={terms.length}
          term={terms[position]!}
          marks={notes.at.get(position)}
          active={position === active}
          selected={view.current === index && view.selected.has(position)}
          editing={editing?.list === index && editing.position === position}
          dragged={dragged?.list === index && dragged.positions.has(position)}
          drop={
            over === position ? "before" : over === position + 1 && k === count - 1 ? "after" : ""
          }
          box={box}
        />,
      );
    }
    rows.push(
      <div
        key={r}
        class="chip-row"
        role="presentation"
        style={{ transform: `translateY(${r * ROW}px)` }}
      >
        {chips}
      </div>,
    );
  }
  const into = view.drag?.over?.list === index;
  return (
    <div
      ref={box}
      class={`chips ${into ? "into" : ""}`}
      role="listbox"
      {...whenEmpty(terms.length)}
      tabIndex={0}
      aria-multiselectable={terms.length > 0 ? "true" : undefined}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-activedescendant={active >= 0 ? optionId(active) : undefined}
      data-testid="chips"
      style={{ height: `${seen + 2 * PAD - GAP}px` }}
      onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
      onFocus={() => {
        model.enter(index);
        intoView();
      }}
      onKeyDown={key}
      onCopy={(event) => copy(event, false)}
      onCut={(event) => copy(event, true)}
      onPaste={(event) => {
        if (event.target !== box.current) return;
        event.preventDefault();
        const text = event.clipboardData?.getData("text/plain") ?? "";
        model.addText(index, text, active < 0 ? 0 : active + 1);
      }}
      {...drag}
    >
      <div
        class="chip-rows"
        role="presentation"
        style={{ height: `${Math.max(1, starts.length) * ROW - GAP}px` }}
      >
        {rows}
      </div>
      {count === 0 && (
        <p class="none quiet ellipsis">
          {terms.length === 0
            ? "No words yet. Type one below, paste a column, or load a list."
            : "No word of this list fits the filter."}
        </p>
      )}
    </div>
  );
}

const printable = (event: KeyboardEvent) =>
  [...event.key].length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey;
