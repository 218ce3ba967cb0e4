import { Ghost } from "../../lib/bench/Ghost";
import { Question } from "../../lib/bench/Question";
import { SubjectSelect } from "../../lib/bench/SubjectSelect";
import { Groups } from "./Groups";
import { groupNames, type Store, type View } from "./store";

/** The bench's name, the question in one sentence, and what it is asked of and between. */
export function Header({ store, view }: { store: Store; view: View }) {
  const about = view.subjects.find((s) => s.name === view.inputs.subject)?.about;
  return (
    <header class="head wrap-row">
      <div class="head-text wrap-row">
        <span class="bench-name rigid">Occupations</span>
        <Question look="held">
          <span class="in">{question(view)}</span>
          <Ghost look="in" count={60} />
        </Question>
      </div>
      <div class="head-controls in-line">
        <div class="mini subject" title={about}>
          <SubjectSelect {...store.input("subject")} view={view} />
        </div>
        <Groups store={store} view={view} />
      </div>
    </header>
  );
}

export function question(view: View): string {
  const { picture } = view.answer;
  const what = /occupation/i.test(picture?.outside_label ?? "") ? "occupations" : "words";
  const groups = view.inputs.groups.length;
  if (groups > 2) return `Which ${what} does the model tie to which of ${groups} groups?`;
  return `Which ${what} does the model tie to which group?`;
}

/** The question of an exported picture, which has no controls beside it. */
export function title(view: View): string {
  const [one, two] = groupNames(view);
  const several = (view.answer.picture?.contrasts.length ?? 0) > 1 && view.inputs.contrast < 0;
  const groups = several ? (view.answer.picture?.groups ?? []).join(", ") : `${one} or ${two}`;
  return `${question(view)} ${groups}`;
}
