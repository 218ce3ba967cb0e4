import type { TestedActions, TestedView } from "./tested";

interface Props {
  store: TestedActions;
  view: TestedView;
  to: number;
  text: string;
}

/** The button to the next step; where that is closed it says why, and stays where it is. */
export function Onward({ store, view, to, text }: Props) {
  const step = view.answer.steps[to - 1];
  const closed = !step || step.state === "closed";
  return (
    <div class="onward">
      <p class="why ink2 t12" data-testid="why">
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
