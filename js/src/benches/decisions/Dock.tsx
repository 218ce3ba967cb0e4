import { Spans } from "../../lib/bench/Verdict";
import { whole } from "../../lib/format";
import { WithTerms } from "../../lib/ui/Term";
import { walk } from "./Strips";
import { type Store, trialOf, type View } from "./store";

/** The trial under the pointer or the keys: what was sent, and what came back, word for word. */
export function Dock({ store, view }: { store: Store; view: View }) {
  const { detail, marks } = view;
  const shown = trialOf(view);
  const there = shown > 0 && detail.number > 0;
  const step = (by: 1 | -1) => () => store.pin(walk(marks, shown, by));
  return (
    <section class="dock" aria-label="One trial" data-testid="dock">
      {there ? (
        <>
          <div>
            <b data-testid="dock-title">
              Trial {whole(detail.number)} of {whole(detail.of)}
            </b>
            <p>
              <Spans spans={detail.who} />
              <br />
              {detail.about}
            </p>
          </div>
          <div class="dock-prompt">
            <span class="quiet">Prompt as sent</span>
            {detail.before.map((message, i) => (
              <p key={i} data-testid="dock-before">
                {message}
              </p>
            ))}
            <p data-testid="dock-prompt">{detail.prompt}</p>
            {detail.settings && (
              <p class="quiet" data-testid="dock-settings">
                {detail.before.length === 0 && "no other message; "}
                {detail.settings}
              </p>
            )}
          </div>
          <div>
            <span class="quiet">Reply, word for word</span>
            <p class="reply" data-testid="dock-reply">
              {detail.reply || <span class="quiet">none: probabilities were read</span>}
            </p>
            {detail.reasoning && (
              <details>
                <summary>Reasoning before it</summary>
                <p>{detail.reasoning}</p>
              </details>
            )}
            <p class="quiet" data-testid="dock-read">
              {view.inputs.reading === "sensitivity" && detail.counts_as && (
                <>
                  <b>
                    <WithTerms text={detail.counts_as} />
                  </b>
                  <br />
                </>
              )}
              {[detail.read_as, detail.cost].filter(Boolean).join("; ")}
              {detail.model && <br />}
              {detail.model}
            </p>
          </div>
        </>
      ) : (
        <p class="quiet dock-hint">
          {view.inputs.reading === "sensitivity" && marks.at.length > 0
            ? "Step through the trials to read each question, its reply and how it counts."
            : marks.at.length > 0
              ? "Point at a mark to read the question and the reply; click to hold it."
              : "Each trial becomes a mark; point at one to read the question and the reply."}
        </p>
      )}
      {marks.at.length > 0 && (
        <p class="dock-steps">
          <button
            type="button"
            class="step-key"
            aria-label="Previous trial"
            data-testid="trial-back"
            onClick={step(-1)}
          >
            ←
          </button>
          <button
            type="button"
            class="step-key"
            aria-label="Next trial"
            data-testid="trial-next"
            onClick={step(1)}
          >
            →
          </button>
        </p>
      )}
    </section>
  );
}
