import { useMemo } from "preact/hooks";
import type { Mount } from "../../host";
import { Announcer } from "../../lib/bench/Announcer";
import { Footer } from "../../lib/bench/Footer";
import { drawn, useBench, useRunAttributes } from "../../lib/bench/useBench";
import { Verdict } from "../../lib/bench/Verdict";
import { Figure } from "./Figure";
import { Header, question } from "./Header";
import { PlaneView, tonesOf } from "./PlaneView";
import { Polarity } from "./Polarity";
import { PortraitSettings } from "./portraits/Controls";
import { Figure as PortraitFigure } from "./portraits/Figure";
import { wordOf } from "./portraits/portraits";
import { Screen } from "./portraits/Screen";
import { Reviews } from "./Reviews";
import { RunAnnouncer } from "./RunAnnouncer";
import { Badge, RunLine, trustText } from "./RunLine";
import { Settings } from "./Settings";
import { labelsOf, runOf, type Store, type View } from "./store";
import { Traces } from "./Traces";
import { askText } from "./texts";
import { useColours } from "./useColours";
import { WordCard } from "./WordCard";
import { WordsView } from "./WordsView";

const TABLES = [
  { what: "words", title: "Words and distances" },
  { what: "diagnostics", title: "Diagnostics" },
  { what: "groups", title: "Groups" },
  { what: "draws", title: "Draws" },
] as const;

const PORTRAIT_TABLES = [
  { what: "attributes", title: "Attributes" },
  { what: "diagnostics", title: "Diagnostics" },
  { what: "draws", title: "Draws" },
] as const;

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

export function Bench({ store, onTheme }: Props) {
  const { root, figure, view, theme, frame } = useBench<View>(store, onTheme);
  const colours = useColours(root, theme);
  const { state } = view.answer;
  const run = runOf(view);
  const kept = run.number > 0 && !run.running;
  const stale = kept && (run.stale || state === "error" || state === "loading");
  const faces = view.inputs.space === "portraits";
  const tones = useMemo(() => tonesOf(view), [labelsOf(view).join("\u0000")]);
  return (
    <article
      {...frame}
      {...useRunAttributes(run)}
      aria-label="Posterior"
      onKeyDown={(event) => {
        if (event.key === "Escape" && view.inputs.word && !faces) store.set({ word: "" });
      }}
    >
      <Header view={view} />
      {faces ? (
        <PortraitSettings store={store} view={view} />
      ) : (
        <Settings store={store} view={view} />
      )}
      <div class="body">
        <Verdict
          store={store}
          view={headline(view)}
          before={<Badge view={view} />}
          note={<RunLine store={store} view={view} />}
        />
        {faces ? null : <Traces store={store} view={view} ramp={colours.ramp} stale={stale} />}
      </div>
      {faces ? (
        <Screen store={store} view={view} stale={stale} />
      ) : (
        <>
          <div class="two">
            <PlaneView store={store} view={view} palette={colours.palette} stale={stale} />
            <WordsView store={store} view={view} stale={stale} />
          </div>
          <WordCard store={store} view={view} />
          <div class="two">
            <Polarity view={view} tones={tones} stale={stale} />
            <Reviews view={view} stale={stale} />
          </div>
        </>
      )}
      <Footer
        store={store}
        view={view}
        picture={() =>
          faces
            ? drawn(figure.current, PortraitFigure, { view })
            : drawn(figure.current, Figure, { view, colours })
        }
        title={question(view)}
        lead={trustText(view) && `${trustText(view)}. `}
        file={["posterior", `${view.inputs.subject} ${faces ? wordOf(view) : view.inputs.label}`]}
        tables={faces ? PORTRAIT_TABLES : TABLES}
        blocked={!kept}
      />
      <div ref={figure} class="whole-figure" aria-hidden="true" />
      <Announcer view={view} dragging={run.running} />
      <RunAnnouncer view={view} />
    </article>
  );
}

/**
 * Before the first run the headline tells what pressing Run asks; the button for it is there. Why a
 * run with draws has failed is told by the run's line.
 */
function headline(view: View): View {
  const { answer, subjects } = view;
  if (answer.state === "ready") return { ...view, answer: { ...answer, message: null } };
  if (answer.state !== "empty" || subjects.length === 0) return view;
  // A message that does not ask for a run, such as on a subject that does not fit, stays as it is.
  if (answer.message && !answer.message.actions.some(({ command }) => command === "run"))
    return view;
  const { title, actions } = answer.message ?? { title: "Nothing has been drawn yet", actions: [] };
  const others = actions.filter((action) => action.command !== "run");
  const message = { title, text: askText(view), actions: others };
  return { ...view, answer: { ...answer, message } };
}
