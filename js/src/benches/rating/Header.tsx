import { Question } from "../../lib/bench/Question";
import { serviceOf, type View } from "./store";
import { questionOf } from "./texts";

/** The bench's name, who is asked, and the question. */
export function Header({ view }: { view: View }) {
  const service = serviceOf(view);
  const about = service?.truth ? `simulated, true rating ${service.truth}` : service?.about;
  return (
    <header class="head">
      <div class="head-line spread ink2 t12">
        <span class="rigid">Rating bench</span>
        <span class="about ellipsis t11" title={about}>
          {about}
        </span>
      </div>
      <Question>{questionOf(view)}</Question>
    </header>
  );
}
