import { useMemo } from "preact/hooks";
import type { Protected, Side } from "../../generated/association";
import { holding, rowsOf } from "./layout";
import { Panel } from "./Panel";
import { listsOf } from "./parts";
import { useSlide } from "./slide";
import { type Store, sidesOf, type View } from "./store";
import { beyondText, spotText, stepsOf } from "./texts";

/** The points and beside them what they support; with debiasing, before and after. */
export function Panels({ store, view, stale }: { store: Store; view: View; stale: boolean }) {
  const { picture } = view.answer;
  const { step, debiasing } = view.inputs;
  const at = useSlide(step);
  const words = useMemo(
    () => picture?.protected ?? wordsAsked(view),
    [picture, picture ? null : view.inputs.lists],
  );
  const rows = useMemo(() => rowsOf(words), [words]);
  const sides = sidesOf(picture);
  const shown = sides.length > 0 ? sides : [null];
  const two = shown.length > 1;
  const level = Math.round((picture?.interval_level ?? view.inputs.level) * 100);
  const { title, lost } = stepsOf(picture)[step - 1] ?? stepsOf(picture)[0]!;
  const when = ["before", `after ${debiasing === "none" ? "" : debiasing} debiasing`];
  const noteOf = (side: Side | null, text: string) => {
    const beyond = step === 1 && picture ? beyondText(side, holding(picture.axis, 1)) : "";
    return [text, beyond].filter(Boolean).join("; ");
  };
  const named = (text: string, i: number) => (two ? `${text}, ${when[i]}` : text);
  return (
    <div
      class={`panels ${stale ? "stale" : ""} ${two ? "two" : "one"}`}
      data-testid="panels"
      data-sliding={at === step ? undefined : ""}
    >
      {shown.map((side, i) => (
        <Panel
          key={`points ${i}`}
          store={store}
          view={view}
          kind="points"
          index={i as 0 | 1}
          side={side}
          rows={rows}
          at={at}
          title={named(title, i)}
          note={noteOf(side, i === 0 ? lost : "")}
        />
      ))}
      {shown.map((side, i) => (
        <Panel
          key={`posterior ${i}`}
          store={store}
          view={view}
          kind="posterior"
          index={i as 0 | 1}
          side={side}
          rows={rows}
          at={at}
          title={named(`What the data support, ${level} % HPDI`, i)}
          note=""
        />
      ))}
    </div>
  );
}

/** Before any answer the words that are asked about make the rows, so that nothing jumps. */
function wordsAsked({ inputs }: View): Protected[] {
  return listsOf(inputs.lists, "groups").flatMap(({ name, terms }) =>
    terms.map((word) => ({ word, group: name })),
  );
}

const HINT =
  "Point at a tick, or use the arrow keys in a picture: the words, the list, the distance.";

/** A reserved line under the picture for what is pointed at or held. */
export function Readout({ view }: { view: View }) {
  const { hovered, held, answer, inputs } = view;
  const spot = hovered ?? held;
  const text = spot && answer.picture ? spotText(answer.picture, spot, inputs.model) : "";
  return (
    <p class={`readout ${held && !hovered ? "held" : ""}`} aria-live="polite" data-testid="readout">
      {text || <span class="quiet">{HINT}</span>}
    </p>
  );
}
