import { Question } from "../../lib/bench/Question";
import { wordOf } from "./portraits/portraits";
import type { View } from "./store";

export const question = (view: View) =>
  view.inputs.space === "portraits"
    ? `What face does the model imagine when it hears “${wordOf(view)}”?`
    : `What does the classifier imagine when it says “${view.inputs.label}”?`;

/** The bench's name, its question, and what kind of subject it is put to. */
export function Header({ view }: { view: View }) {
  const subject = view.subjects.find((s) => s.name === view.inputs.subject);
  return (
    <header class="head">
      <div class="head-line spread ink2 t12">
        <span class="rigid">Posterior bench</span>
        <span class="about ellipsis t11" title={subject?.about}>
          {subject?.about}
        </span>
      </div>
      <Question>{question(view)}</Question>
    </header>
  );
}
