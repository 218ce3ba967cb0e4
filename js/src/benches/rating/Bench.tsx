import type { Mount } from "../../host";
import { Announcer } from "../../lib/bench/Announcer";
import { Footer } from "../../lib/bench/Footer";
import { StartAgain } from "../../lib/bench/StartAgain";
import { drawn, useBench, useRunAttributes } from "../../lib/bench/useBench";
import { Verdict } from "../../lib/bench/Verdict";
import { useFont } from "../../lib/hooks";
import { Room } from "../../lib/ui/Room";
import { RatingCard } from "./Card";
import { Controls } from "./controls/Controls";
import { Header } from "./Header";
import { Balance } from "./numbers/Balance";
import { Composition } from "./numbers/Composition";
import { Probabilities } from "./numbers/Probabilities";
import { Figure } from "./picture/Figure";
import { Input } from "./picture/Input";
import { Matrix } from "./picture/Matrix";
import { rowsOf } from "./picture/rows";
import { Trees } from "./rules/Trees";
import { chosenLanguage, isPredicted, runOf, type Store, type View, valuesOf } from "./store";
import { questionOf } from "./texts";
import { EveryText } from "./texts/EveryText";
import { MiddleCard } from "./texts/MiddleCard";

const TABLES = [
  { what: "texts", title: "Every text with its answers" },
  { what: "ratings", title: "Ratings per language" },
] as const;

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

export function Bench({ store, onTheme }: Props) {
  const { root, figure, view, frame } = useBench<View>(store, onTheme);
  useFont(root);
  const run = runOf(view);
  const values = valuesOf(view);
  // Changed shares are not as they were run either: of these the caveat says that they are predicted.
  const stale = run.stale && !run.running && !isPredicted(view) && (
    <span data-testid="stale">The design has changed since this was run.</span>
  );
  return (
    <article
      {...frame}
      {...useRunAttributes(run)}
      data-language={chosenLanguage(view)}
      data-block={view.inputs.block}
      aria-label="Rating"
    >
      <Header view={view} />
      <Controls store={store} view={view} />
      <div class="rating-body">
        <Room text=".sentence" what="verdict" class={rowsOf(view).all.length > 1 ? "" : "short"}>
          <Verdict store={store} view={view} note={<Notes view={view} />} aside={stale} />
        </Room>
        <div class="rating-picture">
          <Input store={store} view={view} values={values} />
          <Matrix store={store} view={view} values={values} />
        </div>
      </div>
      <Trees view={view} />
      <div class="rating-details">
        <div class="details-main">
          <EveryText store={store} view={view} values={values} />
          <MiddleCard view={view} values={values} />
        </div>
        <div class="details-side">
          <Probabilities view={view} />
          <Composition store={store} view={view} />
          <Balance view={view} />
        </div>
      </div>
      <Footer
        store={store}
        view={view}
        picture={() => drawn(figure.current, Figure, { view })}
        title={questionOf(view)}
        file={["rating", view.inputs.service]}
        tables={TABLES}
        blocked={run.number === 0 || run.running}
        before={
          <>
            <StartAgain
              store={store}
              isThere={view.answer.picture !== null && run.number > 0}
              disabled={run.number === 0 || run.running}
              onStart={() => store.command("start-again")}
            />
            <RatingCard store={store} view={view} />
          </>
        }
      />
      <div ref={figure} class="whole-figure" aria-hidden="true" />
      <Announcer view={view} dragging={run.running || view.dragging !== null} />
    </article>
  );
}

/** What failed or was left out. */
function Notes({ view }: { view: View }) {
  const notes = view.answer.picture?.notes ?? [];
  if (notes.length === 0) return null;
  return (
    <ul class="set-notes" data-testid="notes">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
