import type { Picture } from "../../generated/association";
import { whole } from "../../lib/format";
import { Disclosure } from "../../lib/ui/Disclosure";
import type { Store, View } from "./store";
import { MODELS, number } from "./texts";

/** How well each model predicts a held-out distance, on demand. */
export function Models({ store, picture }: { store: Store; picture: Picture }) {
  const { state, text, rows } = picture.scores;
  if (state !== "done") {
    const running = state === "running";
    return (
      <>
        <button
          type="button"
          class="link"
          disabled={running}
          data-testid="compare"
          onClick={() => void store.command("compare")}
        >
          {running ? "Comparing…" : "Compare models"}
        </button>
        {text && (
          <span class="quiet" role="status" data-testid="compare-text">
            {text}
          </span>
        )}
      </>
    );
  }
  return (
    <Disclosure
      label="Comparison of models"
      text="Compare models"
      testid="models"
      class="above outer-card"
    >
      {() => (
        <div class="stack">
          <table class="numbers">
            <thead>
              <tr>
                <th scope="col">model</th>
                <th scope="col">LOO (elpd)</th>
                <th scope="col">behind</th>
                <th scope="col">SE</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.model} data-testid="loo" data-model={row.model} data-value={row.elpd}>
                  <th scope="row">{MODELS[row.model]}</th>
                  <td>{number(row.elpd, 1)}</td>
                  <td>{number(row.behind, 1)}</td>
                  <td>{number(row.behind_se, 1)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p class="quiet">
            Expected log density of a distance left out: higher is better. A model less than about
            two SE behind is about as good.
          </p>
        </div>
      )}
    </Disclosure>
  );
}

/** The exact sampler's answer held against NUTS, on demand. */
export function Check({ store, view }: { store: Store; view: View }) {
  const check = view.answer.picture?.check;
  if (!check) return null;
  const { state, text, rhat, ess } = check;
  const running = state === "running";
  return (
    <>
      <button
        type="button"
        class="link"
        disabled={running}
        data-testid="nuts"
        onClick={() => void store.command("nuts")}
      >
        {running ? "NUTS runs…" : "Check with NUTS"}
      </button>
      <p class={`check ink2 t11 ${state}`} role="status" data-testid="check">
        {text}
        {state === "done" && rhat !== null && ` R-hat ${number(rhat, 3)}`}
        {state === "done" && ess !== null && `, ESS ${whole(Math.round(ess))}.`}
      </p>
    </>
  );
}
