import type { ComponentChildren } from "preact";
import type { Store, View } from "./store";

interface Props {
  store: Store;
  view: View;
  to: number;
  text: string;
  children?: ComponentChildren;
}

/** The button to the next step; where that is closed it says why, and stays where it is. */
export function Onward({ store, view, to, text, children }: Props) {
  const step = view.answer.steps[to - 1];
  const closed = !step || step.state === "closed";
  return (
    <div class="onward">
      {children}
      <p class="why" data-testid="why">
        {closed && step?.why}
      </p>
      <button
        type="button"
        class="button primary"
        aria-disabled={closed || undefined}
        data-testid="onward"
        onClick={() => (closed ? store.notify(step?.why ?? "", false) : store.go(to))}
      >
        {text}
      </button>
    </div>
  );
}
