import { Ghost } from "../../lib/bench/Ghost";
import { Question } from "../../lib/bench/Question";
import type { View } from "./store";

/** The bench's name, the kind of subject, and the question in one sentence. */
export function Header({ view }: { view: View }) {
  const about = view.subjects.find((s) => s.name === view.inputs.subject)?.about;
  return (
    <header class="head">
      <div class="head-line spread ink2 t12">
        <span class="rigid">Psychometric bench</span>
        <span class="quiet about ellipsis t11" title={about}>
          {about}
        </span>
      </div>
      <Question look="held" title={view.inputs.word}>
        <span class="in">
          At which blend of <span class="g1">{cueNames(view)[0]}</span> and{" "}
          <span class="g2">{cueNames(view)[1]}</span> does the model switch its answer
          {view.inputs.word ? ` for “${shorten(view.inputs.word)}”?` : "?"}
        </span>
        <Ghost look="in" count={94} />
      </Question>
    </header>
  );
}

const LONGEST = 32;
const shorten = (word: string) => (word.length > LONGEST ? `${word.slice(0, LONGEST - 1)}…` : word);

/** Names of the two cues: the picture's own, else those that are selected. */
export function cueNames({ answer, inputs }: View): [string, string] {
  const { picture, state } = answer;
  if (picture && state !== "error") return [picture.cue_1, picture.cue_2];
  return inputs.pairs[inputs.selected_pairs[0] ?? 0] ?? ["cue 1", "cue 2"];
}

export function question(view: View): string {
  const [cue1, cue2] = cueNames(view);
  const word = view.answer.picture?.word || view.inputs.word;
  const { layer, subject } = view.inputs;
  const kind = view.subjects.find((s) => s.name === subject)?.kind;
  const place = layer > 0 && (kind === "mlm" || kind === "clm") ? ` at layer ${layer}` : "";
  return `At which blend${place} of ${cue1} and ${cue2} does the model switch its answer for “${word}”?`;
}
