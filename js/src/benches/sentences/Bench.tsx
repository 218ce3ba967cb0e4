import type { Mount } from "../../host";
import { Announcer } from "../../lib/bench/Announcer";
import { Footer } from "../../lib/bench/Footer";
import { AddModel, StartAgain } from "../../lib/bench/FooterButtons";
import { ModelsHeader } from "../../lib/bench/ModelsHeader";
import { ThreeSteps } from "../../lib/bench/ThreeSteps";
import { Told } from "../../lib/bench/Told";
import { drawn, useBench } from "../../lib/bench/useBench";
import { Pairs } from "./pairs/Pairs";
import { Specify } from "./specify/Specify";
import { runOf, type Store, spotNow, type View } from "./store";
import { Figure } from "./test/Figure";
import { Test } from "./test/Test";
import { KINDS, QUESTION } from "./texts";

const TABLES = [
  { what: "sentences", title: "Sentences with their scores" },
  { what: "shares", title: "Shares per model and attribute" },
  { what: "contributions", title: "Word by word" },
] as const;

const STEPS = [
  { title: "Specify", note: "", state: "open", why: "" },
  { title: "Sentences", note: "", state: "closed", why: "" },
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
      data-pair={spotNow(view)?.pair ?? ""}
      aria-label="Sentences"
      onKeyDown={(event) => {
        if (event.key === "Escape" && step === 3) store.release();
      }}
    >
      <ModelsHeader view={view} name="Sentence bench" question={QUESTION} />
      <ThreeSteps
        steps={steps.length === 3 ? steps : STEPS}
        current={step}
        onGo={(to) => store.go(to)}
        onClosed={(why) => store.notify(why, false)}
      />
      <Told store={store} view={view} />
      {step === 1 && <Specify store={store} view={view} />}
      {step === 2 && <Pairs store={store} view={view} />}
      {step === 3 && <Test store={store} view={view} />}
      <Footer
        store={store}
        view={view}
        picture={() => drawn(figure.current, Figure, { view })}
        title={QUESTION}
        file={["sentences", view.inputs.models.join(" ")]}
        tables={TABLES}
        blocked={run.number === 0 || run.running}
        before={
          <>
            <StartAgain store={store} disabled={step === 1 && view.sentences.pairs.length === 0} />
            {step === 3 && <AddModel store={store} view={view} kinds={KINDS} />}
          </>
        }
      />
      <div ref={figure} class="whole-figure" aria-hidden="true" />
      <Announcer view={view} dragging={run.running} />
    </article>
  );
}
