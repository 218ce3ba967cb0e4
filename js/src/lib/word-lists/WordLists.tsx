import type { ComponentChildren } from "preact";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { MenuItem } from "../ui/MenuItem";
import { Popover } from "../ui/Popover";
import { useUid } from "../uid";
import { annotate } from "./annotate";
import { Help } from "./Help";
import type { Kept } from "./kept";
import { Counts, type Filter, KINDS, ListCard, Menu } from "./ListCard";
import { LoadCard } from "./LoadCard";
import { Model, type View } from "./model";
import { PasteCard, readFile } from "./PasteCard";
import type { WordListsProps } from "./props";
import { SaveCard } from "./SaveCard";
import { ASKED } from "./types";

const NO_FILTER: Filter = { text: "", kind: null };
const ROWS = { compact: 6, full: 8 };

type Card = "paste" | "load" | "save" | "add" | null;

/**
 * Word lists as chips: typed, pasted, loaded, moved, undone; unknown words marked where they stand.
 *
 * It holds no lists of its own: each edit goes out by `onChange` and comes back as `lists`.
 */
export function WordLists(props: WordListsProps) {
  const { fixed = false, compact = false, canSave = true, title = "Words", onCommand } = props;
  const [model] = useState(() => remembered(props));
  const view = useView(model);
  useLayoutEffect(() => model.receive(props));
  const id = useUid();
  const root = useRef<HTMLElement>(null);
  const help = useRef<HTMLDivElement>(null);
  const [kept] = useState<Kept>(() => new Map());
  const [fetched] = useState(() => new Map<string, string[]>());
  const [filters, setFilters] = useState<Record<number, Filter>>({});
  const [card, setCard] = useState<Card>(null);
  const [touched, setTouched] = useState(false);
  const notes = useMemo(() => annotate(view.lists, props.marks), [view.lists, props.marks]);

  const bare = view.lists.length === 1 && fixed;
  const filterOf = (i: number) => filters[i] ?? NO_FILTER;
  const setFilter = (i: number, filter: Filter) => setFilters({ ...filters, [i]: filter });
  const boxOf = (i: number) =>
    root.current?.querySelector<HTMLElement>(`[data-list="${i}"] .chips`) ?? null;
  const file = async (list: number, chosen: File) => {
    const read = await readFile(chosen, onCommand);
    if ("problem" in read) model.tell(read.problem, false);
    else if (model.addTerms(list, read.terms) && read.said) model.tell(read.said);
  };
  const key = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const letter = event.key.toLowerCase();
    if (letter !== "z" && letter !== "y") return;
    const field = event.target as HTMLInputElement;
    // A field with text in it undoes its own typing.
    if (typeof field.value === "string" && field.tagName !== "BUTTON" && field.value) return;
    event.preventDefault();
    event.stopPropagation();
    if (letter === "y" || event.shiftKey) model.redo();
    else model.undo();
  };
  const close = useCallback(() => setCard(null), []);
  const bench = { model, view };
  const tool = (name: Exclude<Card, null>, label: string, children: () => ComponentChildren) => (
    <Tool
      key={name}
      name={name}
      label={label}
      open={card === name}
      onOpen={setCard}
      onClose={close}
    >
      {children}
    </Tool>
  );

  return (
    <section
      ref={root}
      class={`words ${compact ? "compact" : "full"} ${view.drag ? "dragging" : ""}`}
      aria-label={title}
      data-testid="word-lists"
      onKeyDown={key}
      onFocusIn={(event) => {
        if ((event.target as Element).closest(".list")) setTouched(true);
      }}
    >
      <header class="words-head wrap-row">
        <h2 class="words-title">{title}</h2>
        {bare && (
          <Counts
            notes={notes[0]!}
            count={view.lists[0]!.terms.length}
            filter={filterOf(0)}
            onFilter={(f) => setFilter(0, f)}
          />
        )}
        <div class="words-tools wrap-row" role="group" aria-label={`${title}: edit`}>
          <button
            type="button"
            class="button plain"
            disabled={!view.undoes}
            title={view.undoes ? `Undo: ${view.undoes}` : undefined}
            data-testid="undo"
            onClick={() => model.undo()}
          >
            Undo
          </button>
          <button
            type="button"
            class="button plain"
            disabled={!view.redoes}
            title={view.redoes ? `Redo: ${view.redoes}` : undefined}
            data-testid="redo"
            onClick={() => model.redo()}
          >
            Redo
          </button>
          {view.lists.length > 0 &&
            tool("paste", "Paste column", () => (
              <PasteCard {...bench} kept={kept} onCommand={onCommand} onDone={close} />
            ))}
          {tool("load", "Load…", () => (
            <LoadCard {...bench} fixed={fixed} onCommand={onCommand} onDone={close} />
          ))}
          {canSave &&
            tool("save", "Save…", () => (
              <SaveCard {...bench} kept={kept} onCommand={onCommand} onDone={close} />
            ))}
          {!fixed &&
            tool("add", "Add list", () => (
              <>
                {KINDS.map((kind) => (
                  <MenuItem
                    key={kind.value}
                    testid={`add-${kind.value}`}
                    onPick={() => {
                      model.addList(kind.value);
                      close();
                    }}
                  >
                    {kind.label}
                  </MenuItem>
                ))}
              </>
            ))}
          {bare && (
            <Menu
              {...bench}
              index={0}
              notes={notes[0]!}
              fixed={fixed}
              onFilter={(f) => setFilter(0, f)}
            />
          )}
        </div>
      </header>
      <Notice {...bench} />
      <div class="lists">
        {view.lists.map((_, i) => (
          <ListCard
            key={i}
            {...bench}
            index={i}
            notes={notes[i]!}
            filter={filterOf(i)}
            onFilter={(filter) => setFilter(i, filter)}
            fixed={fixed}
            bare={bare}
            womenBlue={props.womenBlue ?? false}
            rows={compact ? ROWS.compact : ROWS.full}
            id={id}
            helpId={`${id}-help`}
            editor={root}
            onHelp={() => help.current?.querySelector<HTMLElement>("button")?.focus()}
            onLeave={(list) => boxOf(list)?.focus()}
            onFile={file}
          />
        ))}
        {view.lists.length === 0 && (
          <p class="quiet t12">No list yet. Add one, or load one of the library.</p>
        )}
      </div>
      <Help
        {...bench}
        notes={notes}
        fate={props.fate ?? ASKED}
        onCommand={onCommand}
        fetched={fetched}
        panel={help}
        id={`${id}-help`}
        touched={touched}
        onShowUnknown={(list) => {
          setFilter(list, { text: "", kind: "unknown" });
          boxOf(list)?.focus();
        }}
        back={(list) => boxOf(list)?.focus()}
      />
      {view.drag && <Carried {...bench} root={root.current} />}
      <div class="visually-hidden" role="status" data-testid="words-live">
        {/* Keyed: the same words said twice are read twice. */}
        <span key={view.said.count}>{view.said.text}</span>
      </div>
    </section>
  );
}

function remembered(props: WordListsProps): Model {
  const model = props.memory?.model ?? new Model(props);
  if (props.memory) props.memory.model = model;
  model.rest();
  return model;
}

function useView(model: Model): View {
  const [view, setView] = useState(model.view);
  useLayoutEffect(() => {
    setView(model.view);
    return model.subscribe(() => setView(model.view));
  }, [model]);
  return view;
}

interface ToolProps {
  name: Exclude<Card, null>;
  label: string;
  open: boolean;
  onOpen: (card: Card) => void;
  onClose: () => void;
  children: () => ComponentChildren;
}

function Tool({ name, label, open, onOpen, onClose, children }: ToolProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => {
    onClose();
    opener.current?.focus();
  }, [onClose]);
  return (
    <div class={`tool tool-${name}`}>
      <button
        ref={opener}
        type="button"
        class={`button ${name === "paste" ? "plain" : ""}`}
        aria-expanded={open}
        data-testid={`tool-${name}`}
        onClick={() => onOpen(open ? null : name)}
      >
        {label}
      </button>
      {open && (
        <Popover label={label} testid={`card-${name}`} opener={opener} onClose={onClose}>
          <Closing close={close}>{children()}</Closing>
        </Popover>
      )}
    </div>
  );
}

/** What stands in the card; when it goes away with the focus in it, the opener gets the focus. */
function Closing({ close, children }: { close: () => void; children: ComponentChildren }) {
  const inside = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const node = inside.current!;
    const root = node.getRootNode() as Document | ShadowRoot;
    return () => {
      if (node.contains(root.activeElement)) close();
    };
  }, []);
  return <div ref={inside}>{children}</div>;
}

function Notice({ model, view: { notice } }: { model: Model; view: View }) {
  if (!notice) return null;
  return (
    <div
      class={`words-notice wrap-row ${notice.ok ? "" : "warn"}`}
      role={notice.ok ? "status" : "alert"}
      data-testid="words-notice"
    >
      <p>{notice.text}</p>
      <div class="buttons wrap-row">
        {notice.actions.map(({ label, run }) => (
          <button
            key={label}
            type="button"
            class="button"
            data-testid="notice-action"
            onClick={run}
          >
            {label}
          </button>
        ))}
        <button
          type="button"
          class="button plain"
          data-testid="notice-close"
          onClick={() => model.tell("")}
        >
          Close
        </button>
      </div>
    </div>
  );
}

/** What the hand carries: the term, or how many, beside the pointer. */
function Carried({ model, view, root }: { model: Model; view: View; root: HTMLElement | null }) {
  const drag = view.drag!;
  const at = root?.getBoundingClientRect();
  const what = Model.named(model.termsAt(drag.list, drag.positions));
  return (
    <div
      class="carried ellipsis"
      aria-hidden="true"
      style={{
        left: `${drag.x - (at?.left ?? 0) + 12}px`,
        top: `${drag.y - (at?.top ?? 0) + 10}px`,
      }}
    >
      <bdi>{what}</bdi>
    </div>
  );
}
