import type { RefObject } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { NO_SENSITIVITY } from "../../../generated/decisions";
import { useFont, useWidth } from "../../../lib/hooks";
import { Segmented } from "../../../lib/ui/Controls";
import type { Store, View } from "../store";
import { capital } from "../texts";
import { Both } from "./Both";
import { Lines } from "./Lines";
import { places } from "./model";
import { Roc } from "./Roc";
import { Shares } from "./Shares";

/** A view with the question, the verdict and the caveat of the reading that is chosen. */
export function readAs(view: View): View {
  const { answer, card, inputs } = view;
  const { picture } = answer;
  if (inputs.reading !== "sensitivity") return view;
  const { verdict = [], caveat = "" } = picture?.sensitivity ?? {};
  // The verdict on the gap stays until the other one is there.
  const read = picture && verdict.length > 0 ? { ...picture, verdict, caveat } : picture;
  return { ...view, card: { ...card, question: QUESTION }, answer: { ...answer, picture: read } };
}

/** Whether the answers have hits and false alarms of both groups. */
export const isDetected = ({ answer }: View) => answer.picture?.sensitivity.groups.length === 2;

const QUESTION: View["card"]["question"] = [
  { text: "Does it favour ", role: "plain" },
  { text: "", role: "group1" },
  { text: ", or does it see ", role: "plain" },
  { text: "", role: "group2" },
  { text: " less well?", role: "plain" },
];
const ROCS = [
  { value: "ROC", label: "ROC" },
  { value: "zROC", label: "zROC" },
] as const;

interface Props {
  store: Store;
  view: View;
  svg: RefObject<SVGSVGElement | null>;
}

/** The answers as signal detection reads them: hits, false alarms, sensitivity and criterion. */
export function SensitivityView({ store, view, svg }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 900);
  const font = useFont(svg);
  const at = useMemo(() => places(width), [width, font]);
  const { picture } = view.answer;
  const of = picture?.sensitivity ?? NO_SENSITIVITY;
  const cannot = of.verdict.length > 0 && !isDetected(view);
  const short = view.card.groups.map(({ cues }) => `${cues[0]?.text ?? ""}${cues[1] ? " …" : ""}`);
  const outcome = view.card.outcome;
  return (
    <div ref={box} class="sensitivity" data-testid="sensitivity">
      {!cannot && (
        <>
          <div class="roc-switch">
            <Segmented {...store.input("roc")} label="Axes" options={ROCS} />
          </div>
          <svg
            ref={svg}
            class="drawing"
            width={at.width}
            height={at.height}
            role="group"
            aria-label="Sensitivity and criterion of both groups"
          >
            <Roc
              at={at}
              of={of}
              names={(picture?.names ?? []).map((name) => name.replace(/ or (?=[^ ]+$)/, ", "))}
              outcome={capital(outcome)}
              z={view.inputs.roc === "zROC"}
            />
            {isDetected(view) && (
              <>
                <Lines at={at} of={of} store={store} view={view} svg={svg} />
                <Shares at={at} of={of} outcome={outcome} />
                <Both at={at} of={of} names={short} />
              </>
            )}
          </svg>
        </>
      )}
    </div>
  );
}
