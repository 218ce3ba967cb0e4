import { LayerRows } from "./LayerRows";
import { Found, Panel, TakeAlong, Working } from "./Panel";
import type { Store, View } from "./store";

interface Props {
  store: Store;
  view: View;
}

/** Where in a language model the lean arises: folded, and asked for while it is open. */
export function Layers({ store, view }: Props) {
  const { inputs, subjects } = view;
  const subject = subjects.find(({ name }) => name === inputs.subject);
  if (subject?.kind !== "mlm" && subject?.kind !== "clm") return null;
  const open = inputs.all_layers;
  return (
    <Panel
      name="layers"
      label="Layers"
      question="Where in the network does this lean arise?"
      state={view.layered.state}
      open={open}
      onToggle={() => store.set({ all_layers: !open })}
      beside={
        inputs.layer > 0 && (
          <span class="ink2" data-testid="layers-here">
            The picture shows layer {inputs.layer}.{" "}
            <button type="button" class="link" onClick={() => store.set({ layer: 0 })}>
              Back to the input
            </button>
          </span>
        )
      }
    >
      <Body store={store} view={view} />
    </Panel>
  );
}

function Body({ store, view }: Props) {
  const { layered } = view;
  return (
    <>
      {layered.state === "working" && (
        <Working
          store={store}
          name="layers"
          job="layers"
          progress={layered.progress}
          message="Asking at every layer"
          label="Questions at every layer"
        />
      )}
      {layered.state === "none" && <p class="quiet">The layers will stand here.</p>}
      {layered.state === "error" && (
        <p class="problem-line" role="alert" data-testid="layers-problem">
          {layered.problem}{" "}
          <button type="button" class="button" onClick={() => void store.ask("retry_layers")}>
            Try again
          </button>
        </p>
      )}
      {layered.layers.length > 0 && <Result store={store} view={view} />}
    </>
  );
}

function Result({ store, view }: Props) {
  const { layered, inputs } = view;
  return (
    <Found name="layers" found={layered}>
      <LayerRows
        layered={layered}
        chosen={inputs.layer}
        alpha={inputs.alpha}
        onChoose={(layer) => store.set({ layer })}
      />
      <p class="panel-do wrap-row">
        <TakeAlong store={store} name="layers" job="layers" />
        <span class="quiet">Choose a layer to see its curve in the picture.</span>
      </p>
    </Found>
  );
}
