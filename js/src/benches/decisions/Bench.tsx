import { useRef } from "preact/hooks";
import type { Mount } from "../../host";
import { Announcer } from "../../lib/bench/Announcer";
import { Footer } from "../../lib/bench/Footer";
import { useBench, useRunAttributes } from "../../lib/bench/useBench";
import { Verdict } from "../../lib/bench/Verdict";
import { AllGroups } from "./AllGroups";
import { CaseSection } from "./CaseSection";
import { Controls } from "./Controls";
import { Dock } from "./Dock";
import { Figure } from "./Figure";
import { Header } from "./Header";
import { RunLine } from "./RunLine";
import { Side } from "./Side";
import { isDetected, readAs, SensitivityView } from "./sensitivity/Sensitivity";
import { runOf, type Store, type View } from "./store";
import { questionText } from "./texts";

const TABLES = [
  { what: "estimates", title: "Estimates with intervals" },
  { what: "trials", title: "Trials with replies" },
] as const;

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

export function Bench({ store, onTheme }: Props) {
  const { root, view: whole, frame } = useBench(store, onTheme);
  const view = readAs(whole);
  const picture = useRef<SVGSVGElement>(null);
  const run = runOf(view);
  return (
    <article
      {...frame}
      {...useRunAttributes(run)}
      data-settled={view.answer.picture?.settled === false ? undefined : ""}
      aria-label="Decision bench"
      onKeyDown={(event) => onKey(event, store, root.current)}
    >
      <Header view={view} />
      <Controls store={store} view={view} />
      <CaseSection store={store} view={view} />
      <RunLine store={store} view={view} />
      <div class="results">
        <Verdict store={store} view={view} room={[345, 0, 125]} />
        {view.inputs.reading === "sensitivity" ? (
          <SensitivityView store={store} view={view} svg={picture} />
        ) : (
          <>
            <div class="columns">
              <Figure store={store} view={view} svg={picture} />
              <Side view={view} />
            </div>
            <AllGroups view={view} />
          </>
        )}
      </div>
      <Dock store={store} view={view} />
      <Footer
        store={store}
        view={view}
        picture={() => picture.current && { svg: picture.current }}
        title={questionText(view)}
        file={["decisions", view.card.name]}
        tables={TABLES}
        blocked={view.inputs.reading === "sensitivity" && !isDetected(view)}
      />
      <Announcer view={view} dragging={view.dragging || run.running} />
    </article>
  );
}

/** Keys of the whole bench, where no field wants them. */
function onKey(event: KeyboardEvent, store: Store, root: HTMLElement | null): void {
  const { view } = store;
  if (event.key === "Escape") {
    if (view.pinned) store.pin(view.pinned);
    store.hover(0);
    return;
  }
  if (event.altKey || event.ctrlKey || event.metaKey || isField(event.target)) return;
  const act = KEYS[event.key.toLowerCase()];
  if (!act) return;
  act(store, view, root);
  event.preventDefault();
}

const KEYS: Record<string, (store: Store, view: View, root: HTMLElement | null) => void> = {
  n: (store) => store.nextCue(),
  w: (store) => store.nextWording(),
  t: (_store, _view, root) => focus(root, "trials"),
  p: (store, view, root) => {
    toPoint(store, view);
    focus(root, "x-handle");
  },
};

/** Moves the handle to the next point where half are accepted, round and round. */
function toPoint(store: Store, view: View): void {
  const points = (view.answer.picture?.curves ?? [])
    .map((curve) => curve.pse.value)
    .filter((value) => value !== null)
    .sort((a, b) => a - b);
  const { step } = view.card;
  const next = points.find((point) => point > view.inputs.x + 0.51 * step) ?? points[0];
  if (next !== undefined) store.move(next);
}

const focus = (root: HTMLElement | null, testid: string) =>
  root?.querySelector<SVGElement>(`[data-testid=${testid}]`)?.focus();

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest("input, select, textarea") !== null;
