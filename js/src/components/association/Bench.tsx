import { h, render } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Mount } from "../../host";
import { Announcer } from "../../lib/bench/Announcer";
import { Footer } from "../../lib/bench/Footer";
import { usePainted, useView } from "../../lib/bench/hooks";
import { Verdict } from "../../lib/bench/Verdict";
import { useWidth } from "../../lib/hooks";
import type { Theme } from "../../lib/theme";
import { Segmented } from "../../lib/ui/Controls";
import { ContrastsPanel } from "./ContrastsPanel";
import { Figure } from "./Figure";
import { Header, QUESTION } from "./Header";
import { Legend } from "./Legend";
import { Lists } from "./Lists";
import { Panels, Readout } from "./Panels";
import { Priors } from "./Priors";
import { SimulationSentence, SimulationView } from "./SimulationView";
import { Steps } from "./Steps";
import { type Store, sidesOf, type View } from "./store";
import { WeatPanel } from "./WeatPanel";

/** Below this width the plots stand below each other. */
const NARROW = 780;
/** Below this width the verdict takes more lines. */
const MIDDLE = 960;

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

export function Bench({ store, onTheme }: Props) {
  const root = useRef<HTMLElement>(null);
  const figure = useRef<HTMLDivElement>(null);
  const [theme, setTheme] = useState<Theme>("light");
  const view = useView(store);
  const width = useWidth(root, 960);
  useLayoutEffect(() => onTheme(setTheme), [onTheme]);
  usePainted(root, view.answer.generation, view.answer);
  const { state, picture } = view.answer;
  const stale = picture !== null && (state === "error" || state === "loading" || state === "empty");
  const simulated = view.inputs.shown === "simulation";
  const size = width < 520 ? "small" : width < NARROW ? "medium" : width < MIDDLE ? "middle" : "";
  return (
    <article
      ref={root}
      class={`bench ${width < NARROW ? "narrow" : "wide"} ${size}`}
      data-testid="bench"
      data-theme={theme}
      data-state={state}
      data-waiting={view.waiting ? "" : undefined}
      aria-label="Associations"
      onKeyDown={(event) => {
        if (event.key === "Escape") store.release();
      }}
    >
      <Header store={store} view={view} />
      <Lists store={store} view={view} />
      <div class="body">
        {simulated && state === "ready" ? (
          <SimulationSentence view={view} />
        ) : (
          <Verdict store={store} view={view} note={<Warning view={view} />} />
        )}
        {simulated ? (
          <SimulationView store={store} view={view} />
        ) : (
          <Data store={store} view={view} stale={stale} />
        )}
      </div>
      <Footer
        store={store}
        view={view}
        picture={() => drawn(figure.current, view)}
        title={QUESTION}
        file={["association", view.inputs.subject]}
      />
      <div ref={figure} class="whole-figure" aria-hidden="true" />
      <Announcer view={view} />
    </article>
  );
}

/** Where the models disagree this is said before anything else. */
function Warning({ view }: { view: View }) {
  const { warning } = view.answer.picture ?? { warning: [] };
  if (warning.length === 0) return null;
  return (
    <p class="warning" data-testid="warning">
      {warning.map((span, i) => (
        <span key={i} class={span.role}>
          {span.text}
        </span>
      ))}
    </p>
  );
}

const MODELS = [
  { value: "pooled", label: "Pooled" },
  { value: "per-word", label: "Per word" },
  { value: "crossed", label: "Crossed" },
] as const;

function Data({ store, view, stale }: { store: Store; view: View; stale: boolean }) {
  const { picture } = view.answer;
  const { debiasing, model } = view.inputs;
  const sides = sidesOf(picture);
  const shown = sides.length > 0 ? sides : [null];
  const when = (i: number) => (shown.length > 1 ? (i === 0 ? ", before" : ", after") : "");
  return (
    <>
      <Steps store={store} view={view} />
      <div class="tools">
        <Legend />
        <div class="tools-end">
          <Priors store={store} view={view} />
          <div class="mini models">
            <Segmented
              label="Model"
              testid="model"
              value={model}
              options={MODELS}
              onChange={(value) => store.set({ model: value })}
            />
          </div>
        </div>
      </div>
      {debiasing !== "none" && picture?.after_reason && (
        <p class="warned" role="status" data-testid="after-reason">
          {picture.after_reason}
        </p>
      )}
      <Panels store={store} view={view} stale={stale} />
      <Readout view={view} />
      <div class={`lower ${stale ? "stale" : ""}`}>
        {shown.map((side, i) => (
          <ContrastsPanel
            key={`contrasts ${i}`}
            store={store}
            view={view}
            side={side}
            when={when(i)}
            main={i === 0}
          />
        ))}
        {shown.map((side, i) => (
          <WeatPanel
            key={`weat ${i}`}
            store={store}
            view={view}
            side={side}
            when={when(i)}
            main={i === 0}
          />
        ))}
      </div>
    </>
  );
}

/** Draws what is on the screen and what is scrolled out of it, for as long as it is copied. */
function drawn(place: HTMLElement | null, view: View) {
  if (!place) return null;
  render(h(Figure, { view }), place);
  const svg = place.querySelector("svg");
  const done = () => render(null, place);
  return svg ? { svg, done } : null;
}
