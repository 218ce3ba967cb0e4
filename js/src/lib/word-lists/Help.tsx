import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { whole } from "../format";
import type { Notes } from "./annotate";
import type { Model, View } from "./model";
import type { Fate, OnCommand, TermMark } from "./types";

interface Props {
  model: Model;
  view: View;
  notes: readonly Notes[];
  fate: Fate;
  onCommand: OnCommand;
  /** Suggestions that were fetched, by term. */
  fetched: Map<string, string[]>;
  panel: RefObject<HTMLDivElement | null>;
  id: string;
  /** Whether the hand has been in a list: until then no single word is talked about. */
  touched: boolean;
  onShowUnknown: (list: number) => void;
  back: (list: number) => void;
}

/** Arrows may run over many unknown words: only one that is rested on is asked about. */
const REST = 120;

/** What is odd about the term at hand and what to do; else what is odd in all; else the keys. */
export function Help(props: Props) {
  const { view, notes, panel, id, touched } = props;
  const list = view.current;
  const position = view.active[list] ?? 0;
  const marks = touched ? notes[list]?.at.get(position) : undefined;
  const term = view.lists[list]?.terms[position];
  return (
    <div ref={panel} id={id} class={`help ${marks ? "marked" : ""}`} data-testid="help">
      {marks && term !== undefined ? (
        <Marked key={`${list}-${position}-${term}`} {...props} term={term} marks={marks} />
      ) : (
        <Summary {...props} />
      )}
    </div>
  );
}

function Marked(props: Props & { term: string; marks: TermMark[] }) {
  const { model, view, term, marks } = props;
  const list = view.current;
  const position = view.active[list] ?? 0;
  const unknown = marks.find((m) => m.kind === "unknown");
  const near = useSuggestions(props, unknown);
  const take = (word: string) => {
    model.replaceAt(list, position, word);
    props.back(list);
  };
  return (
    <>
      {marks.map((mark) => (
        <p key={mark.kind} data-testid={`help-${mark.kind}`}>
          <b>
            <bdi>{shorten(term)}</bdi>
          </b>
          {sentence(mark, props.fate)}
        </p>
      ))}
      {unknown && (
        <div class="near wrap-row">
          <span class="quiet">
            {near?.length === 0 ? "No known word is spelled alike." : "Nearest known"}
          </span>
          {near?.map((word) => (
            <button
              key={word}
              type="button"
              class="button"
              title={word}
              data-testid="word-suggestion"
              onClick={() => take(word)}
            >
              <bdi>{word}</bdi>
            </button>
          ))}
          {near === undefined && <span class="quiet">…</span>}
        </div>
      )}
    </>
  );
}

function sentence({ kind, reason }: TermMark, fate: Fate): string {
  if (kind === "unknown") {
    const known = reason === "not in the vocabulary";
    return `${known ? " is not in this vocabulary" : `: ${reason}`}. ${fate.unknown.one}`;
  }
  if (kind === "duplicate") return `: ${reason}. ${fate.twice}`;
  return `: ${reason}. It stays in each.`;
}

function useSuggestions(props: Props, mark: TermMark | undefined): string[] | undefined {
  const { fetched, onCommand } = props;
  const [, setCount] = useState(0);
  const term = mark?.term;
  const known = mark?.suggestions ?? (term === undefined ? [] : fetched.get(term));
  const missing = known === undefined;
  useEffect(() => {
    if (!missing || term === undefined) return;
    let gone = false;
    const timer = setTimeout(async () => {
      const reply = await onCommand("suggest", { term });
      fetched.set(term, reply.ok && reply.content ? JSON.parse(reply.content).suggestions : []);
      if (!gone) setCount((n) => n + 1);
    }, REST);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [missing, term]);
  return known;
}

function Summary({ view, notes, fate, onShowUnknown }: Props) {
  const unknown = notes.reduce((n, note) => n + note.unknown, 0);
  const first = notes.findIndex((note) => note.unknown > 0);
  if (unknown > 0)
    return (
      <>
        <p>
          <b>{whole(unknown)}</b>
          {unknown === 1
            ? ` word is not in this vocabulary. ${fate.unknown.one}`
            : ` words are not in this vocabulary. ${fate.unknown.several}`}
        </p>
        <div class="near wrap-row">
          <button
            type="button"
            class="button"
            data-testid="show-unknown"
            onClick={() => onShowUnknown(first)}
          >
            Show {unknown === 1 ? "it" : "them"}
          </button>
        </div>
      </>
    );
  return (
    <p class="quiet keys">
      <kbd>Enter</kbd> or a comma adds. In the words: arrows, <kbd>Del</kbd> removes, <kbd>F2</kbd>{" "}
      changes, <kbd>Alt</kbd> with arrows moves
      {view.lists.length > 1 ? ", up and down to another list" : ""}; <kbd>Ctrl Z</kbd> undoes.
    </p>
  );
}

const shorten = (term: string) => (term.length > 60 ? `${term.slice(0, 59)}…` : term);
