import type { Mount } from "../../host";
import { Announcer } from "../../lib/bench/Announcer";
import { Footer } from "../../lib/bench/Footer";
import { drawn, useBench } from "../../lib/bench/useBench";
import { Verdict } from "../../lib/bench/Verdict";
import { Segmented } from "../../lib/ui/Controls";
import { ContrastsPanel } from "./ContrastsPanel";
import { Figure } from "./Figure";
import { Header, questionOf } from "./Header";
import { Legend } from "./Legend";
import { Lists } from "./Lists";
import { Panels, Readout } from "./Panels";
import { Priors } from "./Priors";
import { SimulationSentence, SimulationView } from "./SimulationView";
import { Steps } from "./Steps";
import { type Store, sidesOf, type View } from "./store";
import { WeatPanel } from "./WeatPanel";

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

export function Bench({ store, onTheme }: Props) {
  const { figure, view, frame } = useBench<View>(store, onTheme);
  const { state, picture } = view.answer;
  const stale = picture !== null && (state === "error" || state === "loading" || state === "empty");
  const simulated = view.inputs.shown === "simulation";
  return (
    <article
      {...frame}
      aria-label="Associations"
      onKeyDown={(event) => {
        if (event.key === "Escape") store.release();
      }}
    >
      <Header store={store} view={view} />
      {!simulated && <Lists store={store} view={view} />}
      <div class="body">
        {simulated && state === "ready" ? (
          <SimulationSentence view={view} />
        ) : (
          <Verdict
            store={store}
            view={view}
            note={<Warning view={view} />}
            room={[400, 175, 180]}
          />
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
        picture={() => drawn(figure.current, Figure, { view })}
        title={questionOf(view)}
        file={["association", simulated ? "simulation" : view.inputs.subject]}
      />
      <div ref={figure} class="whole-figure" aria-hidden="true" />
      <Announcer view={view} />
    </article>
  );
}

/** How certain the paper’s model would be. */
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
  const { debiasing } = view.inputs;
  const sides = sidesOf(picture);
  const shown = sides.length > 0 ? sides : [null];
  const when = (i: number) => (shown.length > 1 ? (i === 0 ? ", before" : ", after") : "");
  return (
    <>
      <Steps store={store} view={view} />
      <div class="tools wrap-row">
        <Legend />
        <div class="tools-end in-line">
          <Priors store={store} view={view} />
          <div class="mini models">
            <Segmented {...store.input("model")} label="Model" options={MODELS} />
          </div>
        </div>
      </div>
      {debiasing !== "none" && picture?.after_reason && (
        <p class="problem-line warned" role="status" data-testid="after-reason">
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
