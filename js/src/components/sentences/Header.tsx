import type { View } from "./store";
import { QUESTION } from "./texts";

/** The bench's name, what is probed, and the question. */
export function Header({ view }: { view: View }) {
  const about = view.inputs.models
    .map((name) => view.subjects.find((s) => s.name === name))
    .flatMap((s) => (s ? [s.about ? `${s.name}: ${s.about}` : s.name] : []));
  return (
    <header class="head">
      <div class="head-line">
        <span class="bench-name">Sentence bench</span>
        <span class="about">{about.join("; ")}</span>
      </div>
      <h2 class="question" data-testid="question">
        {QUESTION}
      </h2>
    </header>
  );
}
