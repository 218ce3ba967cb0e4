import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { getJson, postJson } from "../lib/api";
import { offerUndo } from "../shell/undo";
import { AddYourOwn } from "./AddYourOwn";
import { CardPanel } from "./CardPanel";
import { List } from "./List";
import type { Library } from "./records";
import { found, neighbour, summary } from "./shown";

const BUSY_MS = 400;
const IDLE_MS = 3000;

export function startSubjects(place: HTMLElement | null): void {
  if (!place) return;
  place.replaceChildren();
  render(<Page />, place);
}

function Page() {
  const { library, problem, refresh } = useLibrary();
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState(
    () => new URLSearchParams(location.search).get("name") ?? "",
  );
  const [added, setAdded] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => focusOnSlash(field.current), []);
  useShownPart(library.subjects.length > 0);
  const rows = found(library.subjects, search);
  const shown = library.subjects.find((row) => row.name === chosen);

  const choose = (name: string) => {
    setChosen(name);
    const address = name ? `subjects?name=${encodeURIComponent(name)}` : "subjects";
    history.replaceState(null, "", address);
  };
  const act = async (what: string, name: string) => {
    await postJson(`api/subjects/${what}`, { name });
    refresh();
  };
  const remove = async (name: string) => {
    await act("remove", name);
    choose("");
    offerUndo({ text: `${name} was removed.`, undo: () => act("restore", name) });
  };
  const step = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    // From the search field the first row comes next.
    const at = (document.activeElement as HTMLElement | null)?.dataset.name ?? "";
    const next = neighbour(rows, at, by);
    document.querySelector<HTMLElement>(`[data-name="${CSS.escape(next)}"]`)?.focus();
  };

  return (
    <div class="subjects">
      <header>
        <h1>Subjects</h1>
        <p class="quiet">{summary(library.subjects)}</p>
        <input
          ref={field}
          type="search"
          placeholder="name, kind or source"
          aria-label="Search subjects"
          aria-keyshortcuts="/"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={step}
        />
        <a class="button" href="#add">
          Add your own
        </a>
      </header>
      {problem && <p class="problem">{problem}</p>}
      <div class={shown ? "columns" : ""}>
        <List rows={rows} chosen={chosen} onChoose={choose} onKey={step} search={search} />
        {shown && (
          <CardPanel
            row={shown}
            mayShare={library.may_share}
            isNew={shown.name === added}
            onAct={act}
            onRemove={remove}
            onClose={() => choose("")}
          />
        )}
      </div>
      <AddYourOwn
        library={library}
        onAdded={(name) => {
          setSearch("");
          setAdded(name);
          refresh();
          choose(name);
        }}
      />
    </div>
  );
}

/** Scrolls to the part that the address names, once the list above it has its length. */
function useShownPart(ready: boolean) {
  useEffect(() => {
    if (ready && location.hash) document.querySelector(location.hash)?.scrollIntoView();
  }, [ready]);
}

/** The list, asked for again while something loads; `refresh` asks at once. */
function useLibrary() {
  const [library, setLibrary] = useState<Library>({
    subjects: [],
    local: true,
    hub: false,
    // Unknown as yet; the server refuses what is too large, too.
    may_share: false,
    largest_mb: Number.POSITIVE_INFINITY,
  });
  const [problem, setProblem] = useState("");
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let timer = 0;
    let over = false;
    const look = async () => {
      let wait = IDLE_MS;
      try {
        const next = await getJson<Library>("api/subjects");
        if (over) return;
        setLibrary(next);
        setProblem("");
        if (next.subjects.some((row) => row.state === "loading")) wait = BUSY_MS;
      } catch (error) {
        if (!over) setProblem((error as Error).message);
      }
      if (!over) timer = window.setTimeout(look, wait);
    };
    look();
    return () => {
      over = true;
      window.clearTimeout(timer);
    };
  }, [turn]);
  return { library, problem, refresh: () => setTurn((before) => before + 1) };
}

function focusOnSlash(field: HTMLInputElement | null) {
  const press = (event: KeyboardEvent) => {
    const typing = (event.target as Element).closest("input, textarea, select");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    field?.focus();
  };
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}
