import type { ComponentChildren, ComponentProps } from "preact";
import { ModelNotes, NumbersCard } from "../bench/ModelNotes";
import { RunLine } from "../bench/RunLine";
import type { TestedActions, TestedView } from "../bench/tested";
import { Verdict } from "../bench/Verdict";
import { headline } from "./headline";

interface Model {
  name: string;
  about: string;
  state: string;
  message: string;
  details: readonly string[];
}

interface Props<M extends Model> {
  store: TestedActions;
  view: TestedView & { answer: { picture: { models: M[]; comparisons: string[] } | null } };
  /** What pressing Test asks of each model. */
  asked: string;
  /** What all models are tested on: "sentences". */
  things: string;
  /** Whether there is any. */
  isThere: boolean;
  numbers: Pick<ComponentProps<typeof NumbersCard<M>>, "text" | "before">;
  /** Under the verdict. */
  children?: ComponentChildren;
}

/** Over the results of the third step: the verdict, what came of models, and the test's button. */
export function TestHead<M extends Model>(props: Props<M>) {
  const { store, view } = props;
  const { models, comparisons } = view.answer.picture ?? { models: [], comparisons: [] };
  const chosen = view.inputs.models.length;
  return (
    <div class="body">
      <Verdict store={store} view={headline(view, props.asked)} room={[330, 0, 185]} />
      {props.children}
      <ModelNotes store={store} models={models} comparisons={comparisons} expected={chosen} />
      <RunLine
        store={store}
        view={view}
        done={models.filter((model) => model.state === "done").length}
        same={`same ${props.things}`}
        disabled={chosen === 0 || !props.isThere}
      >
        <NumbersCard models={models} {...props.numbers} />
      </RunLine>
    </div>
  );
}
