import { useState } from "preact/hooks";
import type { LanguageOption } from "../../../generated/rating";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { SearchField } from "../../../lib/ui/SearchField";
import { isTranslator, type Store, serviceOf, type View } from "../store";

interface Props {
  store: Store;
  view: View;
}

/** So many languages are chips without a card: each is pressed or not. */
const FEW = 8;

/** The middle languages as chips. */
export function Languages({ store, view }: Props) {
  const languages = serviceOf(view)?.languages ?? [];
  const { middles } = view.inputs;
  if (languages.length === 0)
    return (
      <p class="languages quiet wrap-row" data-testid="languages">
        {isTranslator(view)
          ? "Its languages stand here once it has started."
          : "Asked directly: there is no middle language."}
      </p>
    );
  const few = languages.length <= FEW;
  const shown = few ? languages : languages.filter((one) => middles.includes(one.code));
  return (
    <div
      class="languages wrap-row"
      role="group"
      aria-label="Middle languages"
      data-testid="languages"
    >
      <span class="languages-label">Through</span>
      {shown.map((one) => (
        <Chip key={one.code} store={store} view={view} language={one} languages={languages} />
      ))}
      {!few && (
        <Disclosure
          label="Languages"
          text={middles.length > 0 ? "More…" : "Choose…"}
          testid="languages-more"
          class="card"
        >
          {() => <LanguageCard store={store} view={view} languages={languages} />}
        </Disclosure>
      )}
    </div>
  );
}

interface ChipProps extends Props {
  language: LanguageOption;
  languages: readonly LanguageOption[];
}

function toggled({ view, language, languages }: ChipProps): string[] {
  const { middles } = view.inputs;
  const on = !middles.includes(language.code);
  // In the order in which they are offered.
  return languages
    .map((one) => one.code)
    .filter((code) => (code === language.code ? on : middles.includes(code)));
}

function Chip(props: ChipProps) {
  const { store, view, language } = props;
  const on = view.inputs.middles.includes(language.code);
  return (
    <button
      type="button"
      class={`language-chip ${on ? "on" : ""}`}
      aria-pressed={on}
      data-testid={`language-${language.code}`}
      onClick={() => store.set({ middles: toggled(props) })}
    >
      {language.title}
    </button>
  );
}

function LanguageCard({ store, view, languages }: Props & Pick<ChipProps, "languages">) {
  const [search, setSearch] = useState("");
  const typed = search.trim().toLowerCase();
  const matching = languages.filter((one) =>
    `${one.title} ${one.code}`.toLowerCase().includes(typed),
  );
  return (
    <div class="stack">
      <SearchField
        label="Search languages"
        testid="language-search"
        hint="languages"
        value={search}
        onInput={setSearch}
      />
      <fieldset class="language-list">
        <legend class="visually-hidden">Middle languages</legend>
        {matching.map((one) => (
          <label key={one.code} class="tick-box">
            <input
              type="checkbox"
              checked={view.inputs.middles.includes(one.code)}
              onChange={() =>
                store.set({ middles: toggled({ store, view, language: one, languages }) })
              }
            />
            {one.title} <span class="quiet">{one.code}</span>
          </label>
        ))}
        {matching.length === 0 && <p class="quiet">It has no language of that name.</p>}
      </fieldset>
    </div>
  );
}
