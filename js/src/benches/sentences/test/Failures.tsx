import { many } from "../../../lib/format";
import type { Store, View } from "../store";
import { pairOf } from "../store";

/** Pairs that could not be scored, each with the reason. */
export function Failures({ store, view }: { store: Store; view: View }) {
  const failures = view.answer.picture?.failures ?? [];
  if (failures.length === 0) return null;
  return (
    <details class="rejected failures t12" data-testid="failures">
      <summary class="ink2">
        {many(failures.length, "pair")} could not be scored, with reasons
      </summary>
      <ul>
        {failures.map(({ pair, model, reason }) => (
          <li key={`${model} ${pair}`} data-testid="failure">
            <button
              type="button"
              class="link rejected-text"
              onClick={() => store.hold({ id: pair, model })}
            >
              {pairOf(view, pair)?.stereotyped ?? pair}
            </button>
            <span class="reason">
              {model}: {reason}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
