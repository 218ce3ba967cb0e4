import { serviceOf, type View } from "./store";
import { questionOf } from "./texts";

/** The bench's name, who is asked, and the question. */
export function Header({ view }: { view: View }) {
  const service = serviceOf(view);
  const about = service?.truth ? `simulated, its true rating is ${service.truth}` : service?.about;
  return (
    <header class="head">
      <div class="head-line">
        <span class="bench-name">Rating bench</span>
        <span class="about" title={service?.about}>
          {about}
        </span>
      </div>
      <h2 class="question" data-testid="question">
        {questionOf(service?.languages.length ?? 1)}
      </h2>
    </header>
  );
}
