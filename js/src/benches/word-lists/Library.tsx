import { useState } from "preact/hooks";
import type { LibraryEntry } from "../../generated/word-lists";
import { downloadReply } from "../../lib/export";
import { many, whole } from "../../lib/format";
import { matcherOf } from "../../lib/search";
import { DeleteButton } from "../../lib/ui/DeleteButton";
import type { Store, View } from "./store";

/** Shown on arrival. */
const FIRST = "weat-6";

const keyOf = (entry: LibraryEntry) => `${entry.where} ${entry.name}`;

/** All word lists as a table, and beside it the chosen row: its words, and where to use them. */
export function Library({ store, view }: { store: Store; view: View }) {
  const { library, inputs } = view;
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState("");
  const fits = matcherOf(query);
  const rows = library.filter((entry) => fits(searched(entry)));
  const first = rows.find((one) => one.name === FIRST) ?? rows[0];
  const entry = rows.find((one) => keyOf(one) === chosen) ?? first;
  return (
    <section class="library" aria-label="Library" data-testid="library">
      <div class="library-rows">
        <input
          class="field"
          type="search"
          placeholder="find a list, a word or a source"
          aria-label="Find in the library"
          data-testid="library-search"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys, too */}
        <div class="library-table" tabIndex={0} role="group" aria-label="Word lists">
          <table>
            <thead>
              <tr>
                <th scope="col">Word lists</th>
                <th scope="col">Source</th>
                <th scope="col">Words</th>
                <th scope="col">{inputs.subject ? `Known to ${inputs.subject}` : "Known"}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((one) => (
                <tr key={keyOf(one)} class={one === entry ? "now" : ""}>
                  <th scope="row">
                    <button
                      type="button"
                      class="link"
                      aria-pressed={one === entry}
                      data-testid="library-entry"
                      data-name={one.name}
                      onClick={() => setChosen(keyOf(one))}
                    >
                      <bdi>{one.title || one.name}</bdi>
                    </button>
                    {one.where !== "predefined" && <span class="own">mine</span>}
                  </th>
                  <td class="quiet">{one.problem || one.source}</td>
                  <td class="amount">{whole(one.terms)}</td>
                  <td class="amount">{one.known === null ? "" : whole(one.known)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {rows.length === 0 && <p class="quiet">Nothing fits “{query}”.</p>}
        </div>
      </div>
      {entry && <Preview store={store} view={view} entry={entry} />}
    </section>
  );
}

const searched = (entry: LibraryEntry): string =>
  [
    entry.name,
    entry.title,
    entry.source,
    ...entry.lists.flatMap((list) => [list.name, ...list.preview]),
  ].join(" ");

interface PreviewProps {
  store: Store;
  view: View;
  entry: LibraryEntry;
}

function Preview({ store, view, entry }: PreviewProps) {
  const { name, where } = entry;
  const edit = async () => {
    const reply = await store.ask("load-spec", { name, where });
    store.notify(reply.ok ? "" : reply.message, reply.ok);
    if (reply.ok && reply.content) store.set({ lists: JSON.parse(reply.content).lists });
  };
  const save = async () => {
    const reply = await store.ask("export-spec", { name, where });
    store.notify(reply.ok ? "" : reply.message, reply.ok);
    downloadReply(reply, `${name}.toml`);
  };
  const remove = async () => {
    const reply = await store.ask("delete-spec", { name, where });
    store.notify(reply.message, reply.ok);
  };
  const filled = view.inputs.lists.some((list) => list.terms.length > 0);
  return (
    <aside class="library-preview" aria-label="Preview" data-testid="library-preview">
      <h2>
        <bdi>{entry.title || name}</bdi>
      </h2>
      <p class="quiet t12">{entry.problem || entry.source}</p>
      {entry.licence && <p class="quiet t12">Licence: {entry.licence}</p>}
      <dl>
        {entry.lists.map((list) => (
          <div key={`${list.kind} ${list.name}`}>
            <dt>
              <bdi>{list.name}</bdi> <span class="quiet">{many(list.count, "word")}</span>
            </dt>
            <dd>
              <bdi>{list.preview.join(", ")}</bdi>
              {list.count > list.preview.length && " …"}
            </dd>
          </div>
        ))}
      </dl>
      <div class="buttons wrap-row">
        {!entry.problem && (
          <>
            {entry.uses.map(({ title, page }) => (
              <a key={page} class="button" href={page} data-testid="library-use">
                Use in {title}
              </a>
            ))}
            <button type="button" class="button" data-testid="library-edit" onClick={edit}>
              {filled ? "Edit in place of the lists below" : "Edit below"}
            </button>
            <button type="button" class="button plain" data-testid="library-export" onClick={save}>
              Export
            </button>
          </>
        )}
        {entry.own && (
          <DeleteButton key={keyOf(entry)} what={name} testid="library-delete" onDelete={remove} />
        )}
      </div>
    </aside>
  );
}
