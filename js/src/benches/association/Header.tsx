import { Question } from "../../lib/bench/Question";
import { SubjectSelect } from "../../lib/bench/SubjectSelect";
import { Segmented, Select } from "../../lib/ui/Controls";
import type { Store, View } from "./store";

const QUESTION = "Does each word stand closer to its group’s stereotypes than to anything else?";
const SIMULATED = "How large does WEAT’s effect size get where the truth is known?";
export const questionOf = ({ inputs }: View) =>
  inputs.shown === "simulation" ? SIMULATED : QUESTION;

const SHOWN = [
  { value: "data", label: "Data" },
  { value: "simulation", label: "Simulation" },
] as const;
const DEBIASINGS = [
  { value: "none", label: "as it is" },
  { value: "hard", label: "and after hard debiasing" },
  { value: "soft", label: "and after soft debiasing" },
] as const;

/** The bench's name, its question, and the subject that it is put to. */
export function Header({ store, view }: { store: Store; view: View }) {
  const { inputs } = view;
  const subject = view.subjects.find((s) => s.name === inputs.subject);
  const replicates = Math.max(subject?.replicates ?? 1, view.answer.picture?.replicates ?? 1);
  // The simulation asks no subject.
  const asks = inputs.shown === "data";
  return (
    <header class="head">
      <div class="head-line spread ink2 t12">
        <span class="rigid">Association bench</span>
        <span class="about ellipsis t11" title={asks ? subject?.about : undefined}>
          {asks && subject?.about}
        </span>
      </div>
      <Question>{questionOf(view)}</Question>
      <div class="head-controls wrap-row">
        {asks && (
          <div class="mini subject">
            <SubjectSelect
              view={view}
              testid="subject"
              value={inputs.subject}
              onChange={(value) => store.set({ subject: value, replicate: -1 })}
            />
          </div>
        )}
        {asks && replicates > 1 && (
          <div class="mini">
            <Select
              label="Replicate"
              testid="replicate"
              value={String(inputs.replicate)}
              options={replicateOptions(replicates)}
              onChange={(value) => store.set({ replicate: Number(value) })}
            />
          </div>
        )}
        {asks && (
          <div class="mini">
            <Select {...store.input("debiasing")} label="Debiasing" options={DEBIASINGS} />
          </div>
        )}
        <div class="mini shown">
          <Segmented {...store.input("shown")} label="What is shown" options={SHOWN} />
        </div>
      </div>
    </header>
  );
}

const replicateOptions = (n: number) => [
  { value: "-1", label: `all ${n} replicates` },
  ...Array.from({ length: n }, (_, i) => ({ value: String(i), label: `replicate ${i + 1}` })),
];
