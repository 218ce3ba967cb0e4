/** What the word-list editor is given, and what it leaves to the next one in its place. */
import type { Model } from "./model";
import type { Fate, OnCommand, TermMark, WordList } from "./types";

/** Filled by an editor, for the next one in its place. */
export interface Memory {
  model?: Model;
}

export interface WordListsProps {
  lists: readonly WordList[];
  marks: readonly TermMark[];
  /** Called with the new lists after each edit, an undone one too; never changes those it got. */
  onChange: (lists: WordList[]) => void;
  onCommand: OnCommand;
  /** Heading; default "Words". */
  title?: string;
  /** Lists stay as they are in number, name and kind; only their terms change. */
  fixed?: boolean;
  /** Lower boxes and one column, for a card beside a picture. */
  compact?: boolean;
  /** Whether lists can be saved as a spec of one's own; default yes. */
  canSave?: boolean;
  /** Most terms in all lists together; default 20,000. */
  limit?: number;
  /** Of two groups women are blue wherever they stand, as on pictures of sentences. */
  womenBlue?: boolean;
  /** What becomes of odd words; default what a probe does that asks about all of them. */
  fate?: Fate;
  /** Keeps undo and redo while an editor in a card is closed and opened again. */
  memory?: Memory;
}
