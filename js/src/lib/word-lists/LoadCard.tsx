import { useEffect, useState } from "preact/hooks";
import { whole } from "../format";
import { matcherOf } from "../search";
import { DeleteButton } from "../ui/DeleteButton";
import { whenEmpty } from "../ui/listbox";
import { useUid } from "../uid";
import { Choice } from "./Choice";
import type { Model, View } from "./model";
import type { CatalogueEntry, OnCommand, WordList } from "./types";

interface Props {
  model: Model;
  view: View;
  fixed: boolean;
  onCommand: OnCommand;
  onDone: () => void;
}

/** The catalogue: predefined specs and one's own, searched; whole or some lists of one. */
export function LoadCard(props: Props) {
  const { onCommand } = props;
  const id = useUid();
  const [entries, setEntries] = useState<CatalogueEntry[] | null>(null);
  const [problem, setProblem] = useState("");
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const [chosen, setChosen] = useState<CatalogueEntry | null>(null);
  useEffect(() => {
    // Asked anew each time: own files come and go.
    onCommand("catalogue").then((reply) => {
      if (reply.ok && reply.content) setEntries(JSON.parse(reply.content).entries);
      else setProblem(reply.message);
    });
  }, []);
  const matching = (entries ?? []).filter((entry) => matches(entry, query));
  const at = Math.min(active, matching.length - 1);
  const choose = (entry: CatalogueEntry | undefined) => {
    if (entry) setChosen(entry);
  };
  const key = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 6, PageUp: -6 }[event.key];
    if (by) setActive(Math.max(0, Math.min(matching.length - 1, at + by)));
    else if (event.key === "Enter") choose(matching[at]);
    else return;
    event.preventDefault();
  };
  const back = () => setChosen(null);
  const gone = () => {
    setEntries((entries ?? []).filter((entry) => entry !== chosen));
    back();
  };
  if (chosen) return <Chosen {...props} entry={chosen} onBack={back} onGone={gone} />;
  return (
    <div class="stack">
      <input
        class="field"
        type="text"
        role="combobox"
        placeholder="find a word list"
        aria-label="Find in the catalogue"
        aria-expanded="true"
        aria-controls={`${id}-specs`}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        data-testid="catalogue-search"
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={key}
      />
      <div
        id={`${id}-specs`}
        class="specs"
        role="listbox"
        {...whenEmpty(matching.length)}
        aria-label="Catalogue"
      >
        {matching.map((entry, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the search field above takes the keys
          <div
            key={`${entry.where}-${entry.name}`}
            id={`${id}-${i}`}
            ref={i === at ? intoView : null}
            class={`spec ${entry.problem ? "broken" : ""}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            data-testid="catalogue-entry"
            data-name={entry.name}
            onClick={() => choose(entry)}
          >
            <span class="spec-title" title={entry.title}>
              <bdi>{entry.title || entry.name}</bdi>
              {entry.where !== "predefined" && <span class="own">own</span>}
            </span>
            <About text={entry.problem || `${entry.name} · ${entry.source}`} />
          </div>
        ))}
        {entries && matching.length === 0 && (
          <p class="quiet none ellipsis">Nothing fits “{query}”.</p>
        )}
        {!entries && !problem && <p class="quiet none ellipsis">Reading the catalogue…</p>}
      </div>
      {problem && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

const intoView = (node: HTMLElement | null) => node?.scrollIntoView?.({ block: "nearest" });

function matches(entry: CatalogueEntry, query: string): boolean {
  const preview = entry.lists.flatMap((l) => [l.name, ...l.preview]);
  return matcherOf(query)([entry.name, entry.title, entry.source, ...preview].join(" "));
}

/** One spec: which of its lists, and where they go. */
function Chosen({
  model,
  view,
  fixed,
  entry,
  onCommand,
  onDone,
  onBack,
  onGone,
}: Props & { entry: CatalogueEntry; onBack: () => void; onGone: () => void }) {
  const [off, setOff] = useState<ReadonlySet<number>>(new Set());
  const [problem, setProblem] = useState(entry.problem);
  const [busy, setBusy] = useState(false);
  const [share, setShare] = useState(entry.share);
  const shareOrNot = async () => {
    const reply = await onCommand(`${share}-spec`, { name: entry.name });
    if (!reply.ok) return setProblem(reply.message);
    setShare(share === "share" ? "withdraw" : "share");
    model.tell(reply.message);
  };
  const remove = async () => {
    const reply = await onCommand("delete-spec", { name: entry.name, where: entry.where });
    if (!reply.ok) return setProblem(reply.message);
    model.tell(reply.message);
    onGone();
  };
  const on = entry.lists.filter((_, i) => !off.has(i));
  const targets = places(view, fixed, on.length);
  const [wanted, setWanted] = useState("");
  const target = targets.find((t) => t.value === wanted) ?? targets[0]!;
  const load = async () => {
    if (busy) return;
    setBusy(true);
    const reply = await onCommand("load-spec", { name: entry.name, where: entry.where });
    setBusy(false);
    if (!reply.ok || !reply.content) return setProblem(reply.message);
    const { lists } = JSON.parse(reply.content) as { lists: WordList[] };
    const taken = lists.filter((_, i) => !off.has(i));
    put(model, view, taken, target.value, entry.name, reply.message);
    onDone();
  };
  const toggle = (i: number) => {
    const next = new Set(off);
    if (!next.delete(i)) next.add(i);
    setOff(next);
  };
  return (
    <div class="stack">
      <div>
        <button
          type="button"
          class="button plain back"
          data-testid="catalogue-back"
          onClick={onBack}
        >
          ← Catalogue
        </button>
      </div>
      <div class="t13">
        <b>
          <bdi>{entry.title || entry.name}</bdi>
        </b>
        <p class="quiet t12">{entry.source}</p>
        {entry.licence && (
          <p class="quiet t12" data-testid="catalogue-licence">
            Licence: {entry.licence}
          </p>
        )}
        {entry.where !== "predefined" && <p class="quiet path t12">{entry.where}</p>}
      </div>
      <div class="spec-lists">
        {entry.lists.map((list, i) => (
          <label key={`${list.kind}-${list.name}`} class="check">
            <input
              type="checkbox"
              checked={!off.has(i)}
              data-testid={`catalogue-list-${i}`}
              onChange={() => toggle(i)}
            />
            <span class="spec-list t13">
              <span>
                <bdi>{list.name}</bdi> <span class="quiet t12">{list.count}</span>
              </span>
              <About text={list.preview.join(", ")} />
            </span>
          </label>
        ))}
      </div>
      {problem && (
        <p class="bad" role="alert" data-testid="catalogue-problem">
          {problem}
        </p>
      )}
      <div class="buttons wrap-row">
        {share && (
          <button
            type="button"
            class="button plain"
            data-testid="catalogue-share"
            onClick={shareOrNot}
          >
            {share === "share" ? "Share with everybody" : "Stop sharing"}
          </button>
        )}
        {entry.own && share !== "withdraw" && (
          <DeleteButton what={entry.name} testid="catalogue-delete" onDelete={remove} />
        )}
        <Choice
          label="Where they go"
          testid="catalogue-into"
          value={target.value}
          options={targets}
          onChange={setWanted}
        />
        <button
          type="button"
          class="button first"
          data-testid="catalogue-load"
          // Not disabled: that would take the focus away from it.
          disabled={on.length === 0}
          aria-disabled={busy}
          onClick={load}
        >
          Load {whole(on.reduce((n, l) => n + l.count, 0))}
        </button>
      </div>
    </div>
  );
}

/** Where loaded lists can go, the likeliest first. */
function places(view: View, fixed: boolean, count: number) {
  const into = view.lists.flatMap((list, i) => [
    { value: `replace-${i}`, label: `in place of ${list.name}` },
    { value: `add-${i}`, label: `added to ${list.name}` },
  ]);
  const first = into.splice(2 * view.current, 2);
  const each = { value: "each", label: "each in place of one list" };
  if (!fixed)
    return [
      { value: "all", label: "in place of all lists" },
      { value: "new", label: "as further lists" },
      ...first,
      ...into,
    ];
  return view.lists.length > 1 && count === view.lists.length
    ? [each, ...first, ...into]
    : [...first, ...into];
}

function put(
  model: Model,
  view: View,
  taken: WordList[],
  where: string,
  from: string,
  told: string,
) {
  if (where === "all") return model.load(taken, "all", from, told);
  if (where === "new") return model.loadMore(taken, from, told);
  if (where === "each") {
    const lists = view.lists.map((list, i) => ({ ...list, terms: taken[i]!.terms }));
    return model.load(lists, "all", from, told);
  }
  const [how, index] = where.split("-");
  model.load(taken, { list: Number(index), replace: how === "replace" }, from, told);
}

const About = ({ text }: { text: string }) => (
  <span class="quiet spec-about ellipsis" title={text}>
    {text}
  </span>
);
