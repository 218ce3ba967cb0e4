import { AskedLists } from "../../../lib/bench/AskedLists";
import { Models } from "../../../lib/bench/Models";
import { Onward } from "../../../lib/bench/Onward";
import type { Store, View } from "../store";
import { KINDS } from "../texts";
import { Scoring } from "./Scoring";

/** Step 1: whose stereotypes, which models, and how a version is scored. */
export function Specify({ store, view }: { store: Store; view: View }) {
  return (
    <>
      <div class="specify">
        <AskedLists
          store={store}
          view={view}
          title="Groups and attributes"
          predefined={{ label: "Predefined bias", prefix: "biastest-" }}
          unknown={{ one: "No model knows it.", several: "No model knows them." }}
        />
        <section class="asked-side" aria-label="Models and scorers">
          <Models
            store={store}
            view={view}
            kinds={KINDS}
            on="on the same sentences"
            none="No language model is offered here."
          />
          <Scoring store={store} view={view} />
        </section>
      </div>
      <Onward store={store} view={view} to={2} text="To the sentences" />
    </>
  );
}
