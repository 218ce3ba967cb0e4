import { Select, Slider } from "../../../lib/ui/Controls";
import { attributeOf, runOf, type Store, type View } from "../store";
import { many, planNote, planText, runLabel, runText, whole } from "../texts";
import { Blocks } from "./Blocks";
import { Languages } from "./Languages";
import { PowerCard } from "./PowerCard";
import { Rules } from "./Rules";
import { Service } from "./Service";
import { Texts } from "./Texts";

interface Props {
  store: Store;
  view: View;
}

/** Who is asked, about what, through which languages, and what that costs. */
export function Controls({ store, view }: Props) {
  const { inputs, attribute_options } = view;
  return (
    <div class="controls column" role="group" aria-label="Design">
      <div class="controls-row">
        <Service store={store} view={view} />
        <Select
          label="Attribute"
          testid="attribute"
          value={inputs.attribute}
          options={attribute_options.map((one) => ({ value: one.name, label: one.name }))}
          onChange={(attribute) => store.set({ attribute, template: "" })}
        />
        <TextsSlider store={store} view={view} />
        <Cost view={view} />
        <Run store={store} view={view} />
      </div>
      <div class="controls-row second">
        <Languages store={store} view={view} />
        <span class="cards wrap-row t12">
          <Blocks store={store} view={view} />
          <Texts store={store} view={view} attribute={attributeOf(view)} />
          <PowerCard store={store} view={view} />
          <Rules store={store} view={view} />
        </span>
      </div>
    </div>
  );
}

/** Ends of the slider; the card of the texts takes any number. */
const [FEW, MANY] = [5, 100];

function TextsSlider({ store, view }: Props) {
  const { texts } = view.inputs;
  return (
    <Slider
      label="Texts per block"
      testid="texts"
      value={texts}
      min={FEW}
      max={Math.max(MANY, texts)}
      step={texts % 5 ? 1 : 5}
      shown={whole(texts)}
      onInput={(to) => store.set({ texts: to })}
    />
  );
}

function Cost({ view }: { view: View }) {
  const { plan } = view;
  const run = runOf(view);
  return (
    <div class="control cost">
      <div class="control-head">Cost of this design</div>
      {plan.problem ? (
        <p class="warn-text" role="alert" data-testid="plan-problem">
          {plan.problem}
        </p>
      ) : (
        <p data-testid="plan" data-calls={plan.calls} data-known={plan.known}>
          {planText(plan)}: <b>{many(plan.calls, "call")}</b>
        </p>
      )}
      <p class="quiet" data-testid="run-status">
        {run.running || (run.number > 0 && !run.stale) ? runText(run) : planNote(plan)}
      </p>
    </div>
  );
}

function Run({ store, view }: Props) {
  const run = runOf(view);
  const { plan, inputs, answer } = view;
  const blocked = !run.running && (plan.problem !== "" || inputs.service === "");
  const wanted = run.number === 0 || run.stale || run.done < run.total || answer.picture === null;
  return (
    <button
      type="button"
      class={`button run ${wanted && !run.running ? "primary" : ""}`}
      data-testid="run"
      aria-busy={view.asked !== null}
      disabled={blocked}
      title={plan.problem || undefined}
      onClick={() => void store.toggle()}
    >
      {runLabel(view)}
    </button>
  );
}
