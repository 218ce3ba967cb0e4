import { fixed } from "../../lib/format";
import { Panel } from "./Panel";
import { toneOf, type View } from "./store";

/** The person's own reviews that lie nearest to what was drawn. */
export function Reviews({ view, stale }: { view: View; stale: boolean }) {
  const { picture } = view.answer;
  const reviews = picture?.reviews ?? [];
  return (
    <Panel title="Reviews nearest to it" label="Nearest reviews" stale={stale} testid="reviews">
      {reviews.length === 0 ? (
        <p class="under why-not" data-testid="reviews-reason">
          {picture?.reviews_reason}
        </p>
      ) : (
        <ol class="reviews">
          {reviews.map(({ text, label, distance }) => (
            <li key={text} data-testid="review">
              <p class="review-head spread t12">
                <b class={`tone-text-${toneOf(view, label)}`}>{label}</b>
                <span class="quiet">distance {fixed(distance, 4)}</span>
              </p>
              <Quote text={text} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** Of a longer review the beginning is shown, and the rest on demand. */
const SHOWN = 240;

function Quote({ text }: { text: string }) {
  if (text.length <= SHOWN) return <blockquote>{text}</blockquote>;
  return (
    <details class="quote">
      <summary>{text.slice(0, SHOWN).replace(/\s+\S*$/, "")} …</summary>
      <blockquote>{text}</blockquote>
    </details>
  );
}
