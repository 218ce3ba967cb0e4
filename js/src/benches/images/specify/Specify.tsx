import { AskedLists } from "../../../lib/bench/AskedLists";
import { Models } from "../../../lib/bench/Models";
import { Onward } from "../../../lib/bench/Onward";
import type { Store, View } from "../store";
import { KINDS } from "../texts";
import { Asked } from "./Asked";

/** Step 1: whose pictures, which concepts, which models, and what they are asked. */
export function Specify({ store, view }: { store: Store; view: View }) {
  return (
    <>
      <div class="specify">
        <AskedLists
          store={store}
          view={view}
          title="Image terms and concepts"
          predefined={{ label: "Predefined image lists", prefix: "images-" }}
          unknown={{
            one: "It is left out, and the reason is told.",
            several: "They are left out, and the reasons are told.",
          }}
        />
        <section class="asked-side" aria-label="Models and questions">
          <Models
            store={store}
            view={view}
            kinds={KINDS}
            on="on the same pictures"
            none="No vision-language model is offered here."
          />
          <Asked store={store} view={view} />
        </section>
      </div>
      <Onward store={store} view={view} to={2} text="To the images" />
    </>
  );
}
