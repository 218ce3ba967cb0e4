import type { View } from "./store";
import { question } from "./texts";

/** The bench's name, what is probed, and the question. */
export function Header({ view }: { view: View }) {
  const { models } = view.inputs;
  const abouts = new Set(
    models.map((name) => view.subjects.find((s) => s.name === name)?.about ?? ""),
  );
  // What all of them are is said once; of models that differ the names tell more.
  const about = abouts.size === 1 ? [...abouts][0] : models.join(", ");
  return (
    <header class="head">
      <div class="head-line">
        <span class="bench-name">Image bench</span>
        <span class="about">{about}</span>
      </div>
      <h2 class="question" data-testid="question">
        {question(view)}
      </h2>
    </header>
  );
}
