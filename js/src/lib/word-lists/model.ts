/** What the editor knows and does, without a screen: edits, selection, undo, and what is said. */
import { many, whole } from "../format";
import * as edits from "./edits";
import { History } from "./history";
import { clean, LONGEST_TEXT, parseTerms } from "./parse";
import { looksLikeTable, wordsOfTable } from "./table";
import { LIMIT, type MarkKind, type OnCommand, type WordList } from "./types";

export interface Place {
  list: number;
  position: number;
}

export interface Drag {
  list: number;
  positions: ReadonlySet<number>;
  /** Where it would be dropped: before this term of that list. */
  over: { list: number; before: number } | null;
  x: number;
  y: number;
}

export interface Notice {
  text: string;
  ok: boolean;
  actions: { label: string; run: () => void }[];
}

export interface View {
  lists: readonly WordList[];
  /** The list that the hand was in last: where pasted and loaded terms go. */
  current: number;
  /** The term with the keyboard, by list. */
  active: readonly number[];
  /** Selected terms of the current list. */
  selected: ReadonlySet<number>;
  editing: Place | null;
  drag: Drag | null;
  notice: Notice | null;
  /** Read aloud; `count` tells two equal sayings apart. */
  said: { text: string; count: number };
  undoes: string | null;
  redoes: string | null;
}

export interface ModelOptions {
  lists: readonly WordList[];
  limit?: number;
  onChange: (lists: WordList[]) => void;
  /** Reads pasted tables; without it all cells are terms. */
  onCommand?: OnCommand;
}

const NONE: ReadonlySet<number> = new Set();
const NAMED = 40;

export class Model {
  view: View;
  readonly #history = new History<readonly WordList[]>();
  readonly #listeners = new Set<() => void>();
  #anchor = 0;
  /** Lists that were given out and will come back by the host: no news. */
  #given: readonly WordList[];

  constructor(private options: ModelOptions) {
    this.#given = options.lists;
    this.view = {
      lists: options.lists,
      current: 0,
      active: options.lists.map(() => 0),
      selected: NONE,
      editing: null,
      drag: null,
      notice: null,
      said: { text: "", count: 0 },
      undoes: null,
      redoes: null,
    };
  }

  get limit(): number {
    return this.options.limit ?? LIMIT;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The props of the moment. Lists that did not come from here can be undone too. */
  receive(options: ModelOptions): void {
    const before = this.options.lists;
    this.options = options;
    if (options.lists === before || edits.sameLists(options.lists, this.#given)) return;
    this.#given = options.lists;
    if (edits.sameLists(options.lists, this.view.lists)) return;
    this.#history.push(this.view.lists, "lists set elsewhere");
    this.#put(options.lists);
  }

  /** A term as it can be told: not longer than a line. */
  static named(terms: readonly string[]): string {
    if (terms.length !== 1) return many(terms.length, "term");
    const term = terms[0]!;
    return term.length > NAMED ? `${term.slice(0, NAMED - 1)}…` : term;
  }

  /** Adds what was typed or pasted, by default at a list's end; what does not fit is kept. */
  addText(list: number, text: string, before?: number): boolean {
    if (text.length > LONGEST_TEXT) {
      const size = Math.round(text.length / 1e6);
      this.tell(
        `This text of ${size} million characters is too long to look through. Nothing was changed; cut it into parts.`,
        false,
      );
      return false;
    }
    const { onCommand } = this.options;
    if (!onCommand || !looksLikeTable(text)) return this.addTerms(list, parseTerms(text), before);
    void wordsOfTable(text, onCommand).then((read) => {
      if (read === null) this.addTerms(list, parseTerms(text), before);
      else if ("problem" in read) this.tell(read.problem, false);
      else if (this.addTerms(list, read.terms, before)) this.tell(read.said);
    });
    return true;
  }

  addTerms(list: number, terms: readonly string[], before?: number): boolean {
    if (terms.length === 0) return false;
    const room = this.limit - edits.total(this.view.lists);
    if (terms.length > room) {
      this.#refuse(list, terms, room, before);
      return false;
    }
    const at = before ?? this.view.lists[list]!.terms.length;
    const known = new Set(this.view.lists[list]!.terms);
    const twice = terms.filter((t) => known.has(t)).length;
    const lists = edits.insert(this.view.lists, list, at, terms);
    const name = this.view.lists[list]!.name;
    const remark =
      twice > 0 ? `; ${twice === terms.length ? "already" : `${twice} already`} there` : "";
    this.#edit(
      lists,
      `added ${Model.named(terms)}`,
      `Added ${Model.named(terms)} to ${name}${remark}.`,
      {
        list,
        position: at + terms.length - 1,
      },
    );
    return true;
  }

  #refuse(list: number, terms: readonly string[], room: number, before?: number): void {
    const first =
      room > 0
        ? [
            {
              label: `Add the first ${whole(room)}`,
              run: () => this.#take(list, terms, room, before),
            },
          ]
        : [];
    this.tell(
      `${whole(terms.length)} terms are too many: the lists hold ${whole(this.limit)} together, and there is room for ${whole(Math.max(0, room))}. Nothing was changed. Add a part of them, or keep them in a file and ask in Python.`,
      false,
      first,
    );
  }

  #take(list: number, terms: readonly string[], room: number, before?: number): void {
    this.addTerms(list, terms.slice(0, room), before);
    this.tell(
      `The first ${whole(room)} of ${whole(terms.length)} terms were added; the others were not.`,
      false,
    );
  }

  /** Removes the selected terms, or one. */
  removeAt(list: number, position: number): void {
    const which = this.targets(list, position);
    if (which.size === 0) return;
    const gone = this.termsAt(list, which);
    const lists = edits.remove(this.view.lists, list, which);
    const first = Math.min(...which);
    const next = Math.min(first, lists[list]!.terms.length - 1);
    this.#edit(lists, `removed ${Model.named(gone)}`, `Removed ${Model.named(gone)}.`, {
      list,
      position: Math.max(0, next),
    });
  }

  /** Moves the selected terms, or one, before another term. */
  moveTo(list: number, which: ReadonlySet<number>, to: number, before: number): void {
    const terms = this.termsAt(list, which);
    const { lists, at } = edits.move(this.view.lists, list, which, to, before);
    if (terms.length === 0 || edits.sameLists(lists, this.view.lists)) return;
    const name = lists[to]!.name;
    const where = `${at + 1} of ${lists[to]!.terms.length}`;
    const what = Model.named(terms);
    const said = list === to ? `Moved ${what} to ${where}.` : `Moved ${what} to ${name}, ${where}.`;
    const selected = terms.length > 1 ? new Set(terms.map((_, i) => at + i)) : NONE;
    this.#edit(lists, `moved ${what}`, said, { list: to, position: at }, selected);
  }

  /** Moves by one place within the list: Alt with left or right. */
  nudge(list: number, position: number, by: -1 | 1): void {
    const which = this.targets(list, position);
    const first = Math.min(...which);
    const last = Math.max(...which);
    const before = by < 0 ? first - 1 : last + 2;
    if (before < 0 || before > this.view.lists[list]!.terms.length) return;
    this.moveTo(list, which, list, before);
  }

  /** Moves to the end of the list before or after: Alt with up or down; in which list it then is. */
  toOther(list: number, position: number, by: -1 | 1): number {
    const to = list + by;
    const target = this.view.lists[to];
    if (!target) {
      this.say(`There is no list ${by < 0 ? "before" : "after"} this one.`);
      return list;
    }
    this.moveTo(list, this.targets(list, position), to, target.terms.length);
    return to;
  }

  replaceAt(list: number, position: number, text: string): void {
    const old = this.view.lists[list]?.terms[position];
    const term = clean(text.replace(/[\t\n\r]+/g, " "));
    this.#update({ editing: null });
    if (old === undefined || term === old) return;
    if (!term) {
      this.removeAt(list, position);
      return;
    }
    const lists = edits.replace(this.view.lists, list, position, term);
    const [was, is] = [Model.named([old]), Model.named([term])];
    this.#edit(lists, `changed ${was}`, `Changed ${was} to ${is}.`, { list, position });
  }

  sort(list: number): void {
    const terms = edits.sorted(this.view.lists[list]!.terms);
    if (edits.sameTerms(terms, this.view.lists[list]!.terms)) {
      this.say("Sorted already.");
      return;
    }
    const lists = edits.setTerms(this.view.lists, list, terms);
    this.#edit(lists, "sorted", "Sorted from A to Z.", { list, position: 0 });
  }

  clear(list: number): void {
    const { name, terms } = this.view.lists[list]!;
    if (terms.length === 0) return;
    const lists = edits.setTerms(this.view.lists, list, []);
    this.#edit(lists, `cleared ${name}`, `Cleared ${name}: ${Model.named(terms)} removed.`, {
      list,
      position: 0,
    });
  }

  /** Leaves each word once, of several equal ones the first. */
  dropRepeats(list: number): void {
    const { terms } = this.view.lists[list]!;
    const once = [...new Set(terms)];
    const n = terms.length - once.length;
    if (n === 0) {
      this.say("No term stands twice in the same spelling.");
      return;
    }
    const lists = edits.setTerms(this.view.lists, list, once);
    const what = many(n, "repeated term");
    this.#edit(lists, `removed ${what}`, `Removed ${what}.`, { list, position: 0 });
  }

  /** Leaves out all terms at these positions, such as the unknown ones. */
  removeMany(list: number, positions: ReadonlySet<number>, what: string): void {
    if (positions.size === 0) return;
    const lists = edits.remove(this.view.lists, list, positions);
    const said = `${whole(positions.size)} ${what}`;
    this.#edit(lists, `removed ${said}`, `Removed ${said}.`, { list, position: 0 });
  }

  /** Puts loaded lists in place of all, or their terms into one list. */
  load(
    loaded: readonly WordList[],
    into: "all" | { list: number; replace: boolean },
    from: string,
    told = "",
  ) {
    const terms = loaded.flatMap((list) => list.terms);
    if (into === "all") {
      this.#putLoaded(
        loaded.map((list) => ({ ...list })),
        terms.length,
        from,
        told,
        0,
      );
      return;
    }
    const { list, replace } = into;
    const end = this.view.lists[list]!.terms.length;
    const lists = replace
      ? edits.setTerms(this.view.lists, list, terms)
      : edits.insert(this.view.lists, list, end, terms);
    this.#putLoaded(lists, terms.length, from, told, list, replace ? 0 : end);
  }

  /** Puts loaded lists after those that are there. */
  loadMore(loaded: readonly WordList[], from: string, told = ""): void {
    let lists = [...this.view.lists];
    for (const list of loaded)
      lists = [...lists, { ...list, name: edits.freeName(lists, list.name) }];
    const count = edits.total(loaded);
    this.#putLoaded(lists, count, from, told, this.view.lists.length);
  }

  #putLoaded(
    lists: WordList[],
    count: number,
    from: string,
    told: string,
    list: number,
    position = 0,
  ) {
    const all = edits.total(lists);
    if (all > this.limit) {
      const [n, most] = [whole(all), whole(this.limit)];
      this.tell(
        `With ${from} there would be ${n} terms, more than ${most}. Nothing was changed; load a part of it.`,
        false,
      );
      return;
    }
    const said = `Loaded ${many(count, "term")} from ${from}. ${told}`.trim();
    this.#edit(lists, `loaded ${from}`, said, { list, position });
    this.tell(said);
  }

  addList(kind: WordList["kind"]): void {
    const names = { groups: "group", attributes: "attribute", controls: "neutral" } as const;
    const wanted = names[kind as keyof typeof names] ?? "words";
    const lists = edits.addList(this.view.lists, wanted, kind ?? "items");
    const list = lists.length - 1;
    this.#edit(
      lists,
      `added the list ${lists[list]!.name}`,
      `Added the list ${lists[list]!.name}.`,
      {
        list,
        position: 0,
      },
    );
  }

  removeList(index: number): void {
    const { name, terms } = this.view.lists[index]!;
    const lists = edits.removeList(this.view.lists, index);
    const what = `the list ${name} with ${many(terms.length, "term")}`;
    const list = Math.max(0, index - 1);
    this.#edit(lists, `removed ${what}`, `Removed ${what}.`, { list, position: 0 });
  }

  renameList(index: number, name: string): void {
    const wanted = clean(name).slice(0, 80);
    const old = this.view.lists[index]!.name;
    if (!wanted || wanted === old) return;
    const lists = edits.renameList(this.view.lists, index, wanted);
    this.#edit(lists, `renamed ${old}`, `Renamed ${old} to ${lists[index]!.name}.`);
  }

  setKind(index: number, kind: WordList["kind"]): void {
    const { name } = this.view.lists[index]!;
    const lists = this.view.lists.map((list, i) => (i === index ? { ...list, kind } : list));
    this.#edit(lists, `changed what ${name} is`, `${name} is saved otherwise now.`);
  }

  setOf(index: number, of: string[]): void {
    const { name } = this.view.lists[index]!;
    const lists = this.view.lists.map((list, i) => (i === index ? { ...list, of } : list));
    this.#edit(
      lists,
      `changed what ${name} is of`,
      `${name} is of ${of.join(", ") || "no group"}.`,
    );
  }

  undo(): void {
    const step = this.#history.undo(this.view.lists);
    if (!step) {
      this.say("There is nothing to undo.");
      return;
    }
    this.#give(step.state);
    this.say(`Undone: ${step.label}.`);
  }

  redo(): void {
    const step = this.#history.redo(this.view.lists);
    if (!step) {
      this.say("There is nothing to redo.");
      return;
    }
    this.#give(step.state);
    this.say(`Done again: ${step.label}.`);
  }

  /** What an operation on a term means: the selected terms when it is one of them, else itself. */
  targets(list: number, position: number): ReadonlySet<number> {
    const { current, selected, lists } = this.view;
    if (current === list && selected.has(position)) return selected;
    return position < lists[list]!.terms.length ? new Set([position]) : NONE;
  }

  termsAt(list: number, which: ReadonlySet<number>): string[] {
    return this.view.lists[list]!.terms.filter((_, i) => which.has(i));
  }

  /** Puts the keyboard on a term; `extend` selects up to it, `toggle` selects it too. */
  activate(list: number, position: number, how: { extend?: boolean; toggle?: boolean } = {}): void {
    const { lists, current, active } = this.view;
    const last = lists[list]!.terms.length - 1;
    const to = Math.max(0, Math.min(position, last));
    let selected = this.view.current === list ? this.view.selected : NONE;
    if (how.extend) {
      if (selected.size === 0 || current !== list) this.#anchor = active[list] ?? 0;
      const [low, high] = [Math.min(this.#anchor, to), Math.max(this.#anchor, to)];
      selected = new Set(Array.from({ length: high - low + 1 }, (_, i) => low + i));
    } else if (how.toggle) {
      const next = new Set(selected);
      if (!next.delete(to)) next.add(to);
      selected = next;
      this.#anchor = to;
    } else {
      selected = NONE;
      this.#anchor = to;
    }
    this.#update({ current: list, active: active.with(list, to), selected });
  }

  /** Moves the keyboard without touching the selection. */
  goTo(list: number, position: number): void {
    const last = Math.max(0, this.view.lists[list]!.terms.length - 1);
    const to = Math.max(0, Math.min(position, last));
    this.#update({ current: list, active: this.view.active.with(list, to) });
  }

  select(list: number, selected: ReadonlySet<number>): void {
    this.#update({ current: list, selected });
    if (selected.size > 1) this.say(`${many(selected.size, "term")} selected.`);
  }

  enter(list: number): void {
    if (list === this.view.current) return;
    this.#update({ current: list, selected: NONE });
  }

  startEditing(place: Place | null): void {
    this.#update({ editing: place });
  }

  dragging(drag: Drag | null): void {
    this.#update({ drag });
  }

  drop(): void {
    const drag = this.view.drag;
    this.#update({ drag: null });
    if (drag?.over) this.moveTo(drag.list, drag.positions, drag.over.list, drag.over.before);
  }

  tell(text: string, ok = true, actions: Notice["actions"] = []): void {
    this.#update({ notice: text ? { text, ok, actions } : null });
  }

  /** What an editor finds that opens it again: the history stays, what the hand did does not. */
  rest(): void {
    this.#update({ notice: null, editing: null, drag: null, selected: NONE });
  }

  say(text: string): void {
    this.#update({ said: { text, count: this.view.said.count + 1 } });
  }

  #edit(
    lists: WordList[],
    label: string,
    said: string,
    at?: Place,
    selected: ReadonlySet<number> = NONE,
  ): void {
    this.#history.push(this.view.lists, label);
    this.#give(lists, at, selected);
    this.say(said);
  }

  #give(lists: readonly WordList[], at?: Place, selected = NONE): void {
    const out = [...lists];
    this.#given = out;
    this.#put(out, at, selected);
    this.options.onChange(out);
  }

  #put(lists: readonly WordList[], at?: Place, selected = NONE): void {
    const last = (i: number) => Math.max(0, lists[i]!.terms.length - 1);
    let active = lists.map((_, i) => Math.min(this.view.active[i] ?? 0, last(i)));
    let current = Math.min(this.view.current, Math.max(0, lists.length - 1));
    if (at && at.list < lists.length) {
      current = at.list;
      active = active.with(at.list, Math.max(0, Math.min(at.position, last(at.list))));
    }
    const notice = null;
    this.#update({ lists, active, current, selected, editing: null, notice });
  }

  #update(changes: Partial<View>): void {
    const { undoes, redoes } = this.#history;
    this.view = { ...this.view, ...changes, undoes, redoes };
    for (const listener of this.#listeners) listener();
  }
}

export const KIND_NAMES: Record<MarkKind, string> = {
  unknown: "unknown",
  duplicate: "twice",
  overlap: "in several lists",
};
