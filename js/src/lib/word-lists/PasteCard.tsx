import { useEffect, useState } from "preact/hooks";
import { whole } from "../format";
import { Choice } from "./Choice";
import { type Kept, useKept } from "./kept";
import type { Model, View } from "./model";
import { asColumn, LONGEST_TEXT, parseTerms } from "./parse";
import { type TableWords, wordsOfTable } from "./table";
import type { OnCommand, WordList } from "./types";

interface Props {
  model: Model;
  view: View;
  kept: Kept;
  onCommand: OnCommand;
  onDone: () => void;
}

/** Longer text is held beside the field: a text field of 100,000 lines would stop the page. */
const SHOWN = 20_000;

/** A column from a spreadsheet, or a file: what would be added is counted before it is. */
export function PasteCard({ model, view, kept, onCommand, onDone }: Props) {
  const [text, setText] = useKept(kept, "paste", "");
  const [held, setHeld] = useKept(kept, "held", "");
  const [list, setList] = useState(view.current);
  const [problem, setProblem] = useState("");
  const content = held || text;
  const tooLong = content.length > LONGEST_TEXT;
  const [table, setTable] = useState<TableWords | null>(null);
  useEffect(() => {
    let isNewest = true;
    setTable(null);
    if (!tooLong) void wordsOfTable(content, onCommand).then((read) => isNewest && setTable(read));
    return () => {
      isNewest = false;
    };
  }, [content]);
  const read = table && "terms" in table ? table : null;
  const terms = tooLong || (table && !read) ? [] : (read?.terms ?? parseTerms(content));
  const many = whole(terms.length);
  const hold = (pasted: string) => {
    setProblem("");
    if (pasted.length > SHOWN) setHeld(pasted);
    else setText(pasted);
  };
  const done = (replace: boolean) => {
    if (replace) model.load([{ name: "", terms }], { list, replace }, "the pasted column");
    else model.addTerms(list, terms);
    // Refused terms are offered in part by the message; the card keeps them all.
    if (terms.length <= model.limit) for (const key of ["paste", "held"]) kept.delete(key);
    onDone();
  };
  const file = async (chosen: File | undefined) => {
    if (!chosen) return;
    const read = await readFile(chosen, onCommand);
    if ("problem" in read) setProblem(read.problem);
    else hold(asColumn(read.terms));
  };
  return (
    <div class="stack">
      {held ? (
        <p class="held" data-testid="paste-held">
          {many} terms are held here: {terms.slice(0, 3).join(", ")} …{" "}
          <button type="button" class="button plain" onClick={() => setHeld("")}>
            Discard
          </button>
        </p>
      ) : (
        <textarea
          class="field paste-text"
          dir="auto"
          rows={6}
          aria-label="Column to add"
          placeholder={
            "Paste a column here:\none term per line, or with tabs,\ncommas or semicolons between"
          }
          data-testid="paste-text"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData?.getData("text/plain") ?? "";
            if (pasted.length <= SHOWN) return;
            event.preventDefault();
            setHeld(pasted);
          }}
        />
      )}
      {view.lists.length > 1 && (
        <div class="in-line">
          <span class="quiet">into</span>
          <Choice
            label="Into which list"
            testid="paste-list"
            value={String(list)}
            options={view.lists.map((l, i) => ({ value: String(i), label: l.name }))}
            onChange={(value) => setList(Number(value))}
          />
        </div>
      )}
      <p class="bad" role="alert" data-testid="paste-problem">
        {tooLong
          ? "This text is too long to look through. Cut it into parts."
          : problem || (table && "problem" in table ? table.problem : "")}
      </p>
      {read && (
        <p class="quiet" role="status" data-testid="paste-column">
          {read.said}
        </p>
      )}
      <div class="buttons wrap-row">
        <button
          type="button"
          class="button first"
          data-testid="paste-add"
          disabled={terms.length === 0}
          onClick={() => done(false)}
        >
          {terms.length > 0 ? `Add ${many}` : "Add"}
        </button>
        <button
          type="button"
          class="button"
          data-testid="paste-replace"
          disabled={terms.length === 0}
          onClick={() => done(true)}
        >
          Replace the list
        </button>
        <label class="button file">
          From a file…
          <input
            type="file"
            class="visually-hidden"
            accept=".txt,.csv,.tsv,.toml,.json"
            data-testid="paste-file"
            onChange={(event) => file(event.currentTarget.files?.[0])}
          />
        </label>
      </div>
    </div>
  );
}

type Read = { terms: string[]; lists?: WordList[]; said?: string } | { problem: string };

/** Terms of a file: a column or table as text; the lists of a spec in TOML or JSON. */
export async function readFile(file: File, onCommand: OnCommand): Promise<Read> {
  if (file.size > LONGEST_TEXT)
    return { problem: `${file.name} is larger than 10 MB. Cut it into parts.` };
  let content: string;
  try {
    content = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return { problem: `${file.name} is not text in UTF-8. Save it as UTF-8 and try again.` };
  }
  if (/\.(toml|json)$/i.test(file.name)) {
    const reply = await onCommand("read-spec", { filename: file.name, content });
    if (!reply.ok || !reply.content) return { problem: reply.message };
    const { lists } = JSON.parse(reply.content) as { lists: WordList[] };
    return { terms: lists.flatMap((list) => list.terms), lists };
  }
  const table = await wordsOfTable(content, onCommand);
  if (table) return table;
  const terms = parseTerms(content);
  return terms.length > 0 ? { terms } : { problem: `${file.name} holds no word.` };
}
