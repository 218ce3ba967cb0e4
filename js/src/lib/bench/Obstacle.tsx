import type { TestedActions, TestedView } from "./tested";
import { Verdict } from "./Verdict";

interface Props {
  store: TestedActions;
  view: TestedView;
}

/** What stands in the way before the test; there the verdict tells it. */
export function Obstacle({ store, view }: Props) {
  const { state, message } = view.answer;
  if (view.inputs.step === 3 || !message || state === "ready" || state === "empty") return null;
  return (
    <div class="obstacle">
      <Verdict store={store} view={view} />
    </div>
  );
}
