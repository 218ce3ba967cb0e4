import type { ComponentType, VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Mount } from "../../host";
import { AddModel } from "./AddModel";
import { Announcer } from "./Announcer";
import { Footer } from "./Footer";
import type { Kinds } from "./Models";
import { ModelsHeader } from "./ModelsHeader";
import { Obstacle } from "./Obstacle";
import { StartAgain } from "./StartAgain";
import { ThreeSteps } from "./ThreeSteps";
import { runOf, type TestedActions, type TestedView } from "./tested";
import { drawn, useBench, useRunAttributes } from "./useBench";

/** A step's part of the screen. */
export type Part<S, V> = ComponentType<{ store: S; view: V }>;

/** What makes a bench in three steps the one that it is. */
export interface Filling<S, V> {
  name: string;
  /** What it is about; also what its second step makes. */
  material: string;
  question(view: V): string;
  kinds: Kinds;
  tables: readonly { what: string; title: string }[];
  parts: readonly [Part<S, V>, Part<S, V>, Part<S, V>];
  figure(props: { view: V }): VNode | null;
  /** Whether there is something that Start again would take away before the second step. */
  isMade(view: V): boolean;
  /** What to say of a link, as some material does not follow from the settings; else empty. */
  notInLink(view: V): string;
  /** Attributes that say what is looked at. */
  looked(view: V): Record<string, string>;
  onEscape(store: S, step: number): void;
  isDragging?(view: V): boolean;
}

interface Props<S, V> {
  store: S;
  onTheme: Mount<object>["onTheme"];
  filling: Filling<S, V>;
}

interface Viewed<V> {
  view: V;
  subscribe(listener: () => void): () => void;
}

/** A bench in three steps: the word lists, the pictures or sentences they make, and the test. */
export function TestedBench<S extends TestedActions & Viewed<V>, V extends TestedView>({
  store,
  onTheme,
  filling,
}: Props<S, V>) {
  const { figure, view, frame } = useBench<V>(store, onTheme);
  const { steps } = view.answer;
  const { step } = view.inputs;
  const run = runOf(view);
  const { material } = filling;
  const own = filling.notInLink(view);
  // The served app says it where a link is copied.
  useEffect(() => {
    document.dispatchEvent(new CustomEvent("biaslab:own", { detail: own }));
  }, [own]);
  const Part = filling.parts[step - 1]!;
  return (
    <article
      {...frame}
      {...useRunAttributes(run)}
      data-step={step}
      {...filling.looked(view)}
      aria-label={material}
      onKeyDown={(event) => {
        if (event.key === "Escape") filling.onEscape(store, step);
      }}
    >
      <ModelsHeader view={view} name={filling.name} question={filling.question(view)} />
      <ThreeSteps
        steps={steps.length === 3 ? steps : noSteps(material)}
        current={step}
        onGo={(to) => store.go(to)}
        onClosed={(why) => store.notify(why, false)}
      />
      <Obstacle store={store} view={view} />
      <Part store={store} view={view} />
      <Footer
        store={store}
        view={view}
        picture={() => drawn(figure.current, filling.figure, { view })}
        title={filling.question(view)}
        file={[material.toLowerCase(), view.inputs.models.join(" ")]}
        tables={filling.tables}
        blocked={run.number === 0 || run.running}
        before={
          <>
            <StartAgain
              store={store}
              isThere={view.answer.picture !== null}
              disabled={step === 1 && !filling.isMade(view)}
              onStart={() => store.startAgain()}
            />
            {step === 3 && <AddModel store={store} view={view} kinds={filling.kinds} />}
          </>
        }
      />
      <div ref={figure} class="whole-figure" aria-hidden="true" />
      <Announcer view={view} dragging={run.running || (filling.isDragging?.(view) ?? false)} />
    </article>
  );
}

/** The steps before Python has said anything. */
function noSteps(material: string) {
  return [
    { title: "Specify", note: "", state: "open", why: "" },
    { title: material, note: "", state: "closed", why: "" },
    { title: "Test", note: "", state: "closed", why: "" },
  ] as const;
}
