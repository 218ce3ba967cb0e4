import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Seed } from "../../lib/bench/LevelAndSeed";
import { SubjectSelect } from "../../lib/bench/SubjectSelect";
import { fixed } from "../../lib/format";
import { clamp } from "../../lib/scale";
import { optionsOf, Segmented, Select, Slider } from "../../lib/ui/Controls";
import { Disclosure } from "../../lib/ui/Disclosure";
import { NumberField } from "../../lib/ui/NumberField";
import { runOf, type Store, type View } from "./store";
import { ENGINES, engineText, whole } from "./texts";

interface Props {
  store: Store;
  view: View;
}

/** What is drawn from, and how: one row, and the sentence that says what the prior is. */
export function Settings({ store, view }: Props) {
  const { inputs, priors } = view;
  const prior = priors.find((p) => p.key === inputs.prior);
  return (
    <div class="settings" role="group" aria-label="Settings">
      <SubjectSelect {...store.input("subject")} view={view} />
      <Space store={store} />
      <Label store={store} view={view} />
      <Select
        {...store.input("prior")}
        label="Prior p(s)"
        options={priors.map((p) => ({ value: p.key, label: p.name }))}
      />
      <Width store={store} view={view} />
      <RunControl store={store} view={view} text={engineLine(inputs)}>
        {() => <EngineCard store={store} view={view} />}
      </RunControl>
      <p class="prior-text" data-testid="prior-text">
        {prior?.text}
      </p>
    </div>
  );
}

const SPACES = [
  { value: "vectors", label: "Vectors" },
  { value: "portraits", label: "Portraits" },
] as const;

/** What is imagined: points of a space of words, or faces. */
export const Space = ({ store }: { store: Store }) => (
  <Segmented {...store.input("space")} label="Space" options={SPACES} />
);

/** Of more labels than this a list is clearer. */
const MOST_LABELS = 3;

function Label({ store, view }: Props) {
  const { label } = view.inputs;
  const given = view.labels.length > 0 ? view.labels : (view.answer.picture?.labels ?? []);
  const labels = given.length > 0 ? given : [label];
  const options = optionsOf(labels);
  const set = (value: string) => store.set({ label: value });
  return labels.length <= MOST_LABELS ? (
    <Segmented label="Label" testid="label" value={label} options={options} onChange={set} />
  ) : (
    <Select label="Label" testid="label" value={label} options={options} onChange={set} />
  );
}

/** From a quarter to four times, in halves of doublings. */
const REACH = 2;
const PAUSE = 300;

/** The prior's width: Python draws anew from where the chains are, once the handle rests. */
function Width({ store, view }: Props) {
  const { prior_width: width } = view.inputs;
  const [draft, setDraft] = useState<number | null>(null);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const shown = draft ?? width;
  const commit = (value: number) => {
    clearTimeout(timer.current);
    setDraft(null);
    store.set({ prior_width: value });
  };
  return (
    <Slider
      label="Prior width"
      testid="width"
      value={clamp(Math.log2(shown), -REACH, REACH)}
      min={-REACH}
      max={REACH}
      step={0.05}
      shown={fixed(shown, 2)}
      spoken={`${fixed(shown, 2)} times its standard deviations`}
      onInput={(power) => {
        const value = Math.round(100 * 2 ** power) / 100;
        setDraft(value);
        clearTimeout(timer.current);
        timer.current = window.setTimeout(() => commit(value), PAUSE);
      }}
      onChange={(power) => commit(Math.round(100 * 2 ** power) / 100)}
    />
  );
}

const engineLine = ({ chains, engine }: View["inputs"]) =>
  `Engine: ${engineText(engine)}${engine === "exact" ? "" : `, ${whole(chains)} chains`}`;

interface RunProps extends Props {
  /** The engine in a few words; its card has the numbers. */
  text: string;
  children: () => ComponentChildren;
}

/** The engine with its numbers, and the button that starts and stops. */
export function RunControl({ store, view, text: engine, children }: RunProps) {
  const run = runOf(view);
  const pending = view.asked;
  const text = run.running
    ? pending === "stop"
      ? "Stopping…"
      : "Stop, keep draws"
    : pending === "run"
      ? "Starting…"
      : run.number > 0
        ? "Run again"
        : "Run";
  const blocked = view.subjects.length === 0 || (view.answer.state === "loading" && !run.running);
  return (
    <div class="control run-control">
      <div class="control-head">
        <Disclosure
          label="Engine"
          text={engine}
          testid="engine"
          look="link ellipsis"
          class="engine right-card outer-card"
        >
          {children}
        </Disclosure>
      </div>
      <button
        type="button"
        class={`button run ${run.running ? "stop" : "primary"}`}
        data-testid="run"
        aria-busy={pending !== null}
        disabled={blocked}
        onClick={() => void store.toggle()}
      >
        {text}
      </button>
    </div>
  );
}

function EngineCard({ store, view }: Props) {
  const { inputs } = view;
  return (
    <div class="stack">
      <Select
        {...store.input("engine")}
        label="Engine"
        testid="engine-select"
        options={ENGINES.map(({ value, label }) => ({ value, label }))}
      />
      <p class="quiet">{ENGINES.find((e) => e.value === inputs.engine)?.text}</p>
      <div class="numbers-row">
        <NumberField {...store.input("chains")} label="Chains" />
        <NumberField {...store.input("draws")} label="Draws each" />
        <Seed {...store.input("seed")} />
      </div>
    </div>
  );
}
