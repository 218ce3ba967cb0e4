import type { Picture } from "../../generated/association";
import { Disclosure } from "../../lib/ui/Disclosure";
import { type Store, sidesOf, type View } from "./store";
import { MODELS, number } from "./texts";

/** How well each model foretells a distance that was left out. */
export function Models({ picture }: { picture: Picture }) {
  const rows = sidesOf(picture).flatMap((side) =>
    side.posteriors.map((p) => ({ ...p, of: picture.after ? side.name : "" })),
  );
  if (rows.every((row) => row.loo === null)) return null;
  return (
    <Disclosure label="Comparison of models" text="Compare models" testid="models" class="above">
      {() => (
        <div class="stack">
          <table class="numbers">
            <thead>
              <tr>
                <th scope="col">model</th>
                <th scope="col">LOO (elpd)</th>
                <th scope="col">SE</th>
                <th scope="col">ms</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr
                  key={`${row.of} ${row.model}`}
                  data-testid="loo"
                  data-model={row.model}
                  data-value={row.loo ?? undefined}
                >
                  <th scope="row">
                    {MODELS[row.model]}
                    {row.of && <small> {row.of}</small>}
                  </th>
                  <td>{number(row.loo, 1)}</td>
                  <td>{number(row.loo_se, 1)}</td>
                  <td>{number(row.milliseconds, 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p class="quiet">
            Expected log density of a distance left out: higher is better. A difference of less than
            about two SE says little.
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
      <p class={`check ${state}`} role="status" data-testid="check">
        {text}
        {state === "done" && rhat !== null && ` R-hat ${number(rhat, 3)}`}
        {state === "done" && ess !== null && `, ESS ${Math.round(ess).toLocaleString("en")}.`}
      </p>
    </>
  );
}
