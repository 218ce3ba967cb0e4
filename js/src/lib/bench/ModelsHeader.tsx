import { Question } from "./Question";
import type { TestedView } from "./tested";

interface Props {
  view: TestedView;
  /** The bench's. */
  name: string;
  question: string;
}

/** The bench's name, what is probed, and the question. */
export function ModelsHeader({ view, name, question }: Props) {
  const { models } = view.inputs;
  const abouts = new Set(
    models.map((model) => view.subjects.find((s) => s.name === model)?.about ?? ""),
  );
  // What all of them are is said once; of models that differ the names tell more.
  const about = abouts.size === 1 ? [...abouts][0] : models.join(", ");
  return (
    <header class="head">
      <div class="head-line spread ink2 t12">
        <span class="rigid">{name}</span>
        <span class="about ellipsis t11" title={about}>
          {about}
        </span>
      </div>
      <Question>{question}</Question>
    </header>
  );
}
