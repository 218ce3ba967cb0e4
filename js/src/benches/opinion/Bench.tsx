import { useRef, useState } from "preact/hooks";
import type { Printed } from "../../generated/opinion";
import type { Mount } from "../../host";
import { Announcer } from "../../lib/bench/Announcer";
import { copy, Footer } from "../../lib/bench/Footer";
import { Question } from "../../lib/bench/Question";
import { SubjectSelect } from "../../lib/bench/SubjectSelect";
import { drawn, useBench } from "../../lib/bench/useBench";
import { Verdict } from "../../lib/bench/Verdict";
import { many } from "../../lib/format";
import { useFont, useWidth } from "../../lib/hooks";
import { clamp } from "../../lib/scale";
import { Segmented } from "../../lib/ui/Controls";
import { FileButton } from "../../lib/ui/FileButton";
import { useUid } from "../../lib/uid";
import { Figure } from "./Figure";
import { FileCard } from "./FileCard";
import { rowAt, type Store, tabOf, type View } from "./store";

const QUESTION = "Which sentences do these answers bear out?";
/** Narrower than this there is one column of panels. */
const PHONE = 500;
const TABLES = [
  { what: "estimates", title: "Estimates" },
  { what: "answers", title: "Every answer" },
];

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

export function Bench({ store, onTheme }: Props) {
  const { figure, view, frame } = useBench<View>(store, onTheme);
  const { state, picture, about } = view.answer;
  const stale = state !== "ready";
  return (
    <article
      {...frame}
      aria-label="Second opinion"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void store.send(event.dataTransfer?.files[0]);
      }}
    >
      <header class="head">
        <div class="head-line spread ink2 t12">
          <span class="rigid">Second opinion</span>
          <span class="about ellipsis t11">
            on answers that somebody recorded; no model is asked
          </span>
        </div>
        <Question>{QUESTION}</Question>
        <div class="head-controls wrap-row">
          <div class="mini subject">
            <SubjectSelect
              view={view}
              label="Answers"
              testid="subject"
              value={view.inputs.subject}
              onChange={(name) => store.choose(name)}
            />
          </div>
          <FileButton
            text="Open a file"
            testid="open-file"
            onPick={([file]) => void store.send(file)}
          />
          <span class="quiet t11">
            {about || "CSV, JSON lines, Parquet, logs of Inspect or the harness"}; or drop a file
            anywhere
          </span>
        </div>
      </header>
      <div class="body">
        <FileCard store={store} view={view} />
        <Verdict store={store} view={view} room={[110, 0, 100]} />
        {picture && (
          <div class={stale ? "stale" : ""}>
            <Forests store={store} view={view} />
            <div class="columns">
              <Sentences
                store={store}
                title="Sentences that you may print"
                look="may"
                list={picture.may}
                copies
              />
              <Sentences
                store={store}
                title="Sentences that you may not"
                look="not"
                list={picture.may_not}
              />
              <Sentences
                store={store}
                title="What was never asked"
                look="never"
                list={picture.never}
              />
            </div>
          </div>
        )}
      </div>
      <Footer
        store={store}
        view={view}
        picture={() => drawn(figure.current, Figure, { view })}
        title={QUESTION}
        file={["opinion", view.inputs.subject]}
        tables={TABLES}
      />
      <div ref={figure} class="whole-figure" aria-hidden="true" />
      <Announcer view={view} />
    </article>
  );
}

/** The rows of the chosen way of looking, and in words the one that is pointed at. */
function Forests({ store, view }: { store: Store; view: View }) {
  const { picture } = view.answer;
  const id = useUid();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 900);
  useFont(box);
  const tab = tabOf(picture, view.inputs);
  const told = rowAt(picture, view);
  const [open, setOpen] = useState(false);
  if (!picture || !tab) return null;
  // On a phone the page is long: rankings without a clear difference wait behind a line.
  const places = [...tab.panels.keys()];
  const clear = places.filter((i) => tab.panels[i]!.clear);
  const unclear = places.length - clear.length;
  const folds = picture.ranked && width < PHONE && clear.length > 0 && unclear > 0;
  const shown = folds && !open ? clear : places;
  const pointAt = (event: Event) => {
    const row = (event.target as Element).closest<SVGElement>("[data-spot]");
    if (!row) return;
    const [panel = 0, at = 0] = row.dataset.spot!.split(" ").map(Number);
    store.point({ panel, row: at });
  };
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") return store.point(null);
    const { panel, row } = view.spot ?? { panel: shown[0]!, row: -1 };
    const [by, down] = {
      ArrowDown: [0, 1],
      ArrowUp: [0, -1],
      ArrowRight: [1, 0],
      ArrowLeft: [-1, 0],
    }[event.key] ?? [0, 0];
    if (!by && !down) return;
    event.preventDefault();
    const to = shown[clamp(shown.indexOf(panel) + by!, 0, shown.length - 1)]!;
    const most = tab.panels[to]!.rows.length - 1;
    store.point({ panel: to, row: clamp(Math.max(row, by ? 0 : -1) + down!, 0, most) });
  };
  const { spot } = view;
  return (
    <section class="panel" aria-label={picture.title} data-testid="forests">
      <header class="panel-head wrap-row">
        <h2>
          {picture.title} <span class="unit quiet">{tab.unit}</span>
        </h2>
        {picture.tabs.length > 1 && (
          <div class="mini tabs">
            <Segmented
              label="Shown"
              testid="tab"
              value={tab.name}
              options={picture.tabs.map(({ name }) => ({ value: name, label: name }))}
              onChange={(name) => store.set({ tab: name })}
            />
          </div>
        )}
      </header>
      <div
        ref={box}
        role="listbox"
        tabIndex={0}
        class="forests"
        aria-label={picture.title}
        aria-activedescendant={spot ? `${id}-${spot.panel}-${spot.row}` : undefined}
        onKeyDown={key}
        onClick={pointAt}
      >
        <Figure view={view} width={width} id={id} shown={shown} />
      </div>
      {folds && (
        <button
          type="button"
          class="link"
          aria-expanded={open}
          data-testid="unclear"
          onClick={() => {
            store.point(null);
            setOpen(!open);
          }}
        >
          No clear difference in {many(unclear, "panel")}: {open ? "hide" : "show"}
        </button>
      )}
      <p class="readout" data-testid="readout">
        {told ? (
          <>
            <b>{told.row.label}</b>{" "}
            {[told.panel.model, told.panel.title].filter(Boolean).join(", ")}: {told.row.line}
          </>
        ) : (
          <span class="quiet">Choose a row: ↑ ↓ go through groups, ← → through panels.</span>
        )}
      </p>
    </section>
  );
}

interface SentencesProps {
  store: Store;
  title: string;
  look: string;
  list: readonly Printed[];
  copies?: boolean;
}

function Sentences({ store, title, look, list, copies }: SentencesProps) {
  if (list.length === 0) return null;
  return (
    <section class={`printed ${look}`} aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {list.map(({ text, why }) => (
          <li key={text} data-testid={look}>
            {copies && (
              <button
                type="button"
                class="button plain"
                aria-label={`Copy: ${text}`}
                onClick={() =>
                  copy(text).then(
                    () => store.notify("The sentence is on the clipboard."),
                    (error: Error) => store.notify(error.message, false),
                  )
                }
              >
                Copy
              </button>
            )}
            <p>{look === "not" ? `“${text}”` : text}</p>
            <p class="why">{why}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
