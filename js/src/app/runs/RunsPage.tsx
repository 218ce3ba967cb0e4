/** Every stored run: found, filtered, selected, and what is done with the selection. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { many } from "../../lib/format";
import { listKey } from "../../lib/keys";
import { takeDeleted } from "../lib/deleted";
import {
  type BenchName,
  deleteRuns,
  findRuns,
  type Listed,
  listRuns,
  restoreRuns,
  shareRuns,
  tagRuns,
  untagRuns,
  withdrawRuns,
} from "../lib/runs";
import { offerUndo } from "../shell/undo";
import { byDay, size } from "./days";
import { Empty } from "./Empty";
import {
  addressOf,
  ELSEWHERE,
  entriesOf,
  type Filter,
  filterOf,
  match,
  NO_FILTER,
  noMatch,
} from "./filter";
import { neighbour } from "./neighbour";
import { Row } from "./Row";
import { SelectionBar } from "./SelectionBar";
import { usePictures } from "./usePictures";

/** About a screen of them: more are drawn after these are painted. */
const FIRST_ROWS = 16;
const MORE_ROWS = 32;
/** What a search finds in the words of runs comes from the server, after a pause in typing. */
const PAUSE_MS = 200;

export function RunsPage() {
  const [listed, setListed] = useState<Listed | null>(null);
  const [problem, setProblem] = useState("");
  const reload = useCallback(() => {
    const failed = (error: Error) => setProblem(error.message);
    return listRuns().then((found) => {
      setListed(found);
      setProblem("");
      return found;
    }, failed);
  }, []);
  useEffect(() => {
    reload().then(() => {
      const ids = takeDeleted();
      if (ids.length) offerRestore(ids, reload);
    });
  }, []);
  if (listed === null)
    return (
      <>
        <h1>Runs</h1>
        {problem && <p class="problem">{problem}</p>}
      </>
    );
  return <List listed={listed} reload={reload} problem={problem} setProblem={setProblem} />;
}

function offerRestore(ids: string[], reload: () => Promise<unknown>) {
  offerUndo({
    text: `${many(ids.length, "run")} deleted`,
    undo: () => restoreRuns(ids).then(reload),
  });
}

interface ListProps {
  listed: Listed;
  reload: () => Promise<unknown>;
  problem: string;
  setProblem: (text: string) => void;
}

function List({ listed, reload, problem, setProblem }: ListProps) {
  const { benches } = listed;
  const entries = useMemo(() => entriesOf(listed.runs, benches), [listed]);
  const [filter, setFilter] = useFilter();
  const about = useAbout(filter.search, listed);
  const { shown, counts, total } = useMemo(
    () => match(entries, filter, about),
    [entries, filter, about],
  );
  const [rows, setRows] = useState(FIRST_ROWS);
  useEffect(() => setRows(FIRST_ROWS), [filter]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState("");
  const search = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useSlashKey(search);

  const visible = shown.slice(0, rows);
  const pictures = usePictures(visible.map(({ run }) => run.id));
  const titles = useMemo(() => new Map(benches.map((one) => [one.name, one.title])), [benches]);
  const tags = useMemo(() => sorted(listed.runs.flatMap((run) => run.tags)), [listed]);
  const subjects = useMemo(() => sorted(listed.runs.map((run) => run.subject)), [listed]);
  const chosen = useMemo(
    () => entries.map(({ run }) => run).filter((run) => selected.has(run.id)),
    [entries, selected],
  );
  const tabStop = visible.some(({ run }) => run.id === active) ? active : visible[0]?.run.id;

  const select = useCallback((id: string, on: boolean) => {
    setSelected((old) => {
      const now = new Set(old);
      if (on) now.add(id);
      else now.delete(id);
      return now;
    });
  }, []);
  const act = (work: Promise<unknown>) =>
    work.then(reload).catch((error: Error) => setProblem(error.message));
  const remove = async (ids: string[]) => {
    const next = neighbour(
      shown.map(({ run }) => run.id),
      ids,
    );
    try {
      await deleteRuns(ids);
    } catch (error) {
      setProblem((error as Error).message);
      return;
    }
    setSelected((old) => new Set([...old].filter((id) => !ids.includes(id))));
    await reload();
    offerRestore(ids, reload);
    focusRow(list.current, next);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).dataset?.run;
    if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = shown.findIndex(({ run }) => run.id === id);
    const to = listKey(event.key, place, shown.length);
    if (to !== null) {
      if (to >= rows) setRows(to + MORE_ROWS);
      event.preventDefault();
      requestAnimationFrame(() => focusRow(list.current, shown[to].run.id));
    } else if (event.key === " ") {
      event.preventDefault();
      select(id, !selected.has(id));
    } else if (event.key === "Delete") {
      event.preventDefault();
      remove(selected.has(id) ? [...selected] : [id]);
    } else if (event.key === "Escape" && selected.size > 0) {
      setSelected(new Set());
    }
  };

  if (listed.runs.length === 0) return <Empty />;
  return (
    <>
      <header class="bar">
        <h1>
          Runs{" "}
          <small>
            {many(listed.runs.length, "run")} kept, {size(listed.bytes)}
          </small>
        </h1>
        <label class="search">
          <span class="visually-hidden">Search runs</span>
          <input
            ref={search}
            type="search"
            placeholder="word, subject, tag or id"
            value={filter.search}
            onInput={(event) => setFilter({ ...filter, search: event.currentTarget.value }, true)}
            onKeyDown={(event) => {
              if (event.key === "ArrowDown" && tabStop) {
                event.preventDefault();
                focusRow(list.current, tabStop);
              }
            }}
          />
          <kbd>/</kbd>
        </label>
      </header>
      <div class="filters">
        <Chips
          benches={benches}
          filter={filter}
          setFilter={setFilter}
          counts={counts}
          total={total}
          entries={entries}
        />
        <Choice
          label="Subject"
          any="Any subject"
          value={filter.subject}
          options={subjects}
          onChange={(subject) => setFilter({ ...filter, subject })}
        />
        <Choice
          label="Tag"
          any="Any tag"
          value={filter.tag}
          options={tags}
          onChange={(tag) => setFilter({ ...filter, tag })}
        />
      </div>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {shown.length === 0 && (
        <p class="no-match">
          {noMatch(filter)}{" "}
          <button type="button" class="button" onClick={() => setFilter(NO_FILTER)}>
            Clear
          </button>
        </p>
      )}
      <div ref={list} onKeyDown={onKeyDown} class="days" role="group" aria-label="Runs by day">
        {byDay(visible).map((day, place) => (
          <section key={`${day.name} ${place}`} aria-label={day.name}>
            <h2>{day.name}</h2>
            <ul class="surface">
              {day.entries.map((entry) => (
                <Row
                  key={entry.run.id}
                  entry={entry}
                  title={titles.get(entry.run.bench) ?? ""}
                  picture={pictures.get(entry.run.id) ?? ""}
                  selected={selected.has(entry.run.id)}
                  active={entry.run.id === tabStop}
                  onSelect={select}
                  onFocus={setActive}
                />
              ))}
            </ul>
          </section>
        ))}
        {rows < shown.length && <More onReached={() => setRows(rows + MORE_ROWS)} />}
      </div>
      {chosen.length > 0 && (
        <SelectionBar
          runs={chosen}
          known={tags}
          mayShare={listed.mayShare}
          onShare={() => act(shareRuns([...selected]))}
          onWithdraw={() => act(withdrawRuns([...selected]))}
          onClear={() => setSelected(new Set())}
          onDelete={() => remove([...selected])}
          onTag={(tags) => act(tagRuns([...selected], tags))}
          onUntag={(tag) => act(untagRuns([...selected], [tag]))}
        />
      )}
    </>
  );
}

interface ChipsProps {
  benches: BenchName[];
  entries: readonly { bench: string }[];
  filter: Filter;
  setFilter: (filter: Filter) => void;
  counts: Map<string, number>;
  total: number;
}

function Chips({ benches, entries, filter, setFilter, counts, total }: ChipsProps) {
  const present = new Set(entries.map((entry) => entry.bench));
  const chips = [...benches, { name: ELSEWHERE, title: "Notebooks and scripts" }].filter(
    ({ name }) => present.has(name) || name === filter.bench,
  );
  return (
    <fieldset class="chips">
      <legend class="visually-hidden">Bench</legend>
      {[{ name: "", title: "All" }, ...chips].map(({ name, title }) => (
        <button
          type="button"
          key={name}
          aria-pressed={filter.bench === name}
          onClick={() => setFilter({ ...filter, bench: name })}
        >
          {title} <small>{name ? (counts.get(name) ?? 0) : total}</small>
        </button>
      ))}
    </fieldset>
  );
}

interface ChoiceProps {
  label: string;
  any: string;
  value: string;
  options: string[];
  onChange: (value: string) => void;
}

function Choice({ label, any, value, options, onChange }: ChoiceProps) {
  const all = value && !options.includes(value) ? [...options, value] : options;
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{any}</option>
      {all.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}

/** The end of the rows that are drawn: more are, when it comes into view. */
function More({ onReached }: { onReached: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!ref.current || !("IntersectionObserver" in window)) return;
    const observer = new IntersectionObserver(
      (seen) => seen.some((one) => one.isIntersecting) && onReached(),
      { rootMargin: "1200px" },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  });
  return <div ref={ref} class="more" />;
}

/** The filter, kept in the address; `quietly` adds no step to the browser's history. */
function useFilter(): [Filter, (filter: Filter, quietly?: boolean) => void] {
  const [filter, setFilter] = useState(() => filterOf(location.search));
  useEffect(() => {
    const back = () => setFilter(filterOf(location.search));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const set = (now: Filter, quietly = false) => {
    const address = addressOf(now);
    if (quietly) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    setFilter(now);
  };
  return [filter, set];
}

/** Ids of the runs that are about the words of the search. */
function useAbout(search: string, listed: Listed): ReadonlySet<string> {
  const [about, setAbout] = useState<{ search: string; ids: ReadonlySet<string> }>({
    search: "",
    ids: new Set(),
  });
  const words = search.trim();
  useEffect(() => {
    if (!words) return;
    let newest = true;
    const timer = setTimeout(async () => {
      const ids = await findRuns(words).catch(() => []);
      if (newest) setAbout({ search: words, ids: new Set(ids) });
    }, PAUSE_MS);
    return () => {
      newest = false;
      clearTimeout(timer);
    };
  }, [words, listed]);
  return about.search === words ? about.ids : NONE;
}

const NONE: ReadonlySet<string> = new Set();

function useSlashKey(search: { current: HTMLInputElement | null }) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).closest?.("input, textarea, select");
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

function focusRow(list: HTMLElement | null, id: string | undefined) {
  if (id) list?.querySelector<HTMLElement>(`[data-run="${CSS.escape(id)}"]`)?.focus();
}

const sorted = (texts: string[]) => [...new Set(texts)].sort((a, b) => a.localeCompare(b));
