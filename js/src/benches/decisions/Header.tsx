import { Ghost } from "../../lib/bench/Ghost";
import { Question } from "../../lib/bench/Question";
import type { View } from "./store";
import { spanText } from "./texts";

const TONES: Record<string, string> = { group1: "g1", group2: "g2" };

/** The bench's name, the kind of subject, and the question in one sentence. */
export function Header({ view }: { view: View }) {
  const about = view.subjects.find((s) => s.name === view.inputs.subject)?.about;
  return (
    <header class="head">
      <div class="head-line spread ink2 t12">
        <span class="rigid">Decision bench</span>
        <span class="quiet about ellipsis t11" title={about}>
          {about}
        </span>
      </div>
      <Question look="held">
        <span class="in">
          {view.card.question.map((span, i) => (
            <span key={i} class={TONES[span.role] ?? ""}>
              {spanText(view, span)}
            </span>
          ))}
        </span>
        <Ghost look="in" count={88} />
      </Question>
    </header>
  );
}
