import { useLayoutEffect, useState } from "preact/hooks";
import { useUid } from "../../lib/uid";
import type { Store, View } from "./store";
import { readDimensions } from "./texts";

const MOST = 6;

/** Which dimensions are traced beside the logit and |s|²; none: the one that mixes worst. */
export function Dimensions({ store, view }: { store: Store; view: View }) {
  const id = useUid();
  const { shown_dimensions: shown } = view.inputs;
  const dimensions = view.answer.picture?.dimensions ?? 0;
  const [text, setText] = useState(shown.join(", "));
  const [problem, setProblem] = useState("");
  useLayoutEffect(() => {
    setText(shown.join(", "));
    setProblem("");
  }, [shown.join()]);
  const take = (typed: string) => {
    const read = readDimensions(typed, dimensions, MOST);
    setText(typed);
    setProblem(read.problem);
    if (!read.problem) store.set({ shown_dimensions: read.found });
  };
  return (
    <div class="dimensions in-line rigid ink2 t12">
      <label for={id}>Dimensions</label>
      <input
        id={id}
        class="field"
        type="text"
        inputMode="numeric"
        autocomplete="off"
        placeholder="the worst"
        data-testid="dimensions"
        value={text}
        aria-invalid={problem !== ""}
        aria-describedby={`${id}-problem`}
        // What is being typed stays when something else is drawn anew.
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => take(event.currentTarget.value)}
      />
      <small
        id={`${id}-problem`}
        class={problem ? "number-problem" : "quiet"}
        role={problem ? "alert" : undefined}
      >
        {problem || (dimensions > 0 ? `of 0 to ${dimensions - 1}` : "")}
      </small>
    </div>
  );
}
