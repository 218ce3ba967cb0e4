import type { Mount } from "../../host";
import { Announcer } from "../../lib/bench/Announcer";
import { Footer } from "../../lib/bench/Footer";
import { AddModel, StartAgain } from "../../lib/bench/FooterButtons";
import { ModelsHeader } from "../../lib/bench/ModelsHeader";
import { ThreeSteps } from "../../lib/bench/ThreeSteps";
import { Told } from "../../lib/bench/Told";
import { drawn, useBench } from "../../lib/bench/useBench";
import { Pictures } from "./pictures/Pictures";
import { Specify } from "./specify/Specify";
import { runOf, type Store, spotNow, type View } from "./store";
import { Figure } from "./test/Figure";
import { Test } from "./test/Test";
import { KINDS, question } from "./texts";

const TABLES = [
  { what: "images", title: "Pictures with their scores" },
  { what: "terms", title: "Scores per model and term" },
  { what: "models", title: "Scores per model and question" },
] as const;

const STEPS = [
  { title: "Specify", note: "", state: "open", why: "" },
  { title: "Images", note: "", state: "closed", why: "" },
  { title: "Test", note: "", state: "closed", why: "" },
] as const;

interface Props {
  store: Store;
  onTheme: Mount<object>["onTheme"];
}

export function Bench({ store, onTheme }: Props) {
  const { root, figure, view, theme, look } = useBench<View>(store, onTheme);
  const { state, steps } = view.answer;
  const { step } = view.inputs;
  const run = runOf(view);
  return (
    <article
      ref={root}
      class={look}
      data-testid="bench"
      data-theme={theme}
      data-state={state}
      data-step={step}
      data-run={run.number}
      data-running={run.running ? "" : undefined}
      data-waiting={view.waiting ? "" : undefined}
      data-image={spotNow(view)?.image ?? ""}
      aria-label="Images"
      onKeyDown={(event) => {
        if (event.key === "Escape" && step > 1) store.point(null);
      }}
    >
      <ModelsHeader view={view} name="Image bench" question={question(view)} />
      <ThreeSteps
        steps={steps.length === 3 ? steps : STEPS}
        current={step}
        onGo={(to) => store.go(to)}
        onClosed={(why) => store.notify(why, false)}
      />
      <Told store={store} view={view} />
      {step === 1 && <Specify store={store} view={view} />}
      {step === 2 && <Pictures store={store} view={view} />}
      {step === 3 && <Test store={store} view={view} />}
      <Footer
        store={store}
        view={view}
        picture={() => drawn(figure.current, Figure, { view })}
        title={question(view)}
        file={["images", view.inputs.models.join(" ")]}
        tables={TABLES}
        blocked={run.number === 0 || run.running}
        before={
          <>
            <StartAgain store={store} disabled={step === 1 && view.images.images.length === 0} />
            {step === 3 && <AddModel store={store} view={view} kinds={KINDS} />}
          </>
        }
      />
      <div ref={figure} class="whole-figure" aria-hidden="true" />
      <Announcer view={view} dragging={run.running || view.dragging} />
    </article>
  );
}
