import { fixed } from "../../../lib/format";
import { Term } from "../../../lib/ui/Term";
import { rowsOf } from "../picture/rows";
import { chosenLanguage, type View } from "../store";
import { BIAS_RATINGS } from "../texts";

/** How probable each rating is, given what came back through the chosen language. */
export function Probabilities({ view }: { view: View }) {
  const row = rowsOf(view).answered.find((one) => one.language === chosenLanguage(view));
  const known = row?.probabilities ?? [];
  const most = Math.max(...known, 0);
  return (
    <section class="side-part" aria-label="Probability of each rating">
      <h2>P(rating){row?.title ? `, ${row.title}` : ""}</h2>
      {BIAS_RATINGS.map((rating, i) => {
        const p = known[i];
        return (
          <div
            key={rating}
            class={`bar-row p-row ${p !== undefined && p === most ? "most" : ""}`}
            data-testid="probability"
            data-rating={rating}
            data-value={p}
          >
            <span>
              <Term name={rating} />
            </span>
            <i>{p !== undefined && <i style={{ width: `${100 * p}%` }} />}</i>
            <b>{p === undefined ? "–" : fixed(p, 2)}</b>
          </div>
        );
      })}
      <p class="quiet side-note">
        {row?.corrected === "not rateable" && known.length === 0
          ? "Not rateable: there is nothing to give a probability of."
          : "Posterior, from what each value became."}
      </p>
    </section>
  );
}
