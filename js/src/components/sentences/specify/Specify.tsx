import { useRef } from "preact/hooks";
import { Models } from "../../../lib/bench/Models";
import { Onward } from "../../../lib/bench/Onward";
import { Owners } from "../../../lib/word-lists/Owners";
import { WordLists } from "../../../lib/word-lists/WordLists";
import type { Store, View } from "../store";
import { KINDS } from "../texts";
import { attributesOf, edited, groupsOf } from "./lists";
import { Predefined } from "./Predefined";
import { Scoring } from "./Scoring";

const FATE = {
  unknown: { one: "No model knows it.", several: "No model knows them." },
  twice: "It stays here, and counts once.",
};

/** Step 1: whose stereotypes, which models, and how a version is scored. */
export function Specify({ store, view }: { store: Store; view: View }) {
  const { inputs, marks } = view;
  // The spec that was fetched last: the lists that come next are its own.
  const fetched = useRef("");
  return (
    <>
      <div class="specify">
        <section class="asked-lists" aria-label="Groups and attributes">
          <Predefined store={store} view={view} />
          <WordLists
            title="Groups and attributes"
            lists={inputs.lists}
            marks={marks}
            fate={FATE}
            onChange={(next) => {
              const now = edited(inputs.lists, next);
              const loaded = fetched.current;
              fetched.current = "";
              store.set({ lists: now.lists, ...(loaded ? { spec: loaded } : {}) });
              if (now.left.length > 0)
                store.notify(`Not used by this bench: ${now.left.join(", ")}.`);
            }}
            onCommand={async (name, args) => {
              const reply = await store.ask(name, args);
              if (name === "load-spec" && reply.ok) fetched.current = String(args?.name ?? "");
              return reply;
            }}
          />
          <Owners
            lists={attributesOf(inputs.lists)}
            groups={groupsOf(inputs.lists).map((list) => list.name)}
            onChange={(list, of) =>
              store.set({ lists: inputs.lists.map((l) => (l === list ? { ...l, of } : l)) })
            }
          />
        </section>
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
