import { LIMITS } from "../../generated/association";
import { Select } from "../../lib/ui/Controls";
import { Disclosure } from "../../lib/ui/Disclosure";
import { NumberField } from "../../lib/ui/NumberField";
import { type Inputs, PAPER_PRIORS, type Store, type View } from "./store";

type Name = keyof Inputs["priors"];

const FIELDS: { name: Name; label: string; of: string }[] = [
  { name: "word_mean", label: "mean of a word", of: "m ~ normal(mean, SD)" },
  { name: "word_scale", label: "SD of a word", of: "" },
  { name: "connection_scale", label: "SD of a connection", of: "co ~ normal(0, SD)" },
  { name: "noise_scale", label: "scale of the noise", of: "σ ~ half-Cauchy(0, scale)" },
  { name: "word_sd", label: "scale, protected words", of: "crossed model: SDs of words" },
  { name: "term_sd", label: "scale, attribute words", of: "" },
];

const LEVELS = ["0.5", "0.8", "0.89", "0.95"] as const;

/** The priors, to be changed, and back to the paper's. */
export function Priors({ store, view }: { store: Store; view: View }) {
  const { priors, level } = view.inputs;
  const papers = isPapers(priors);
  return (
    <Disclosure
      label="Priors"
      text={papers ? "Priors" : "Priors, changed"}
      look="button"
      testid="priors"
      class="priors right-card"
    >
      {() => (
        <div class="stack">
          <p class="quiet">distance ~ normal(m + co, σ)</p>
          <div class="fields">
            {FIELDS.map(({ name, label, of }) => (
              <div key={name}>
                <NumberField
                  label={label}
                  testid={`prior-${name}`}
                  value={priors[name]}
                  {...LIMITS.priors[name]}
                  onChange={(value) => store.set({ priors: { ...priors, [name]: value } })}
                />
                <small class="quiet">{of}</small>
              </div>
            ))}
          </div>
          <div class="priors-foot">
            <Select
              label="Level of the intervals"
              testid="level"
              value={String(level)}
              options={levels(level).map((v) => ({
                value: v,
                label: `${Math.round(100 * Number(v))} %`,
              }))}
              onChange={(value) => store.set({ level: Number(value) })}
            />
            <button
              type="button"
              class="button"
              disabled={papers}
              data-testid="paper-priors"
              onClick={() => store.set({ priors: PAPER_PRIORS })}
            >
              The paper’s priors
            </button>
          </div>
        </div>
      )}
    </Disclosure>
  );
}

const levels = (level: number): string[] =>
  [...new Set([...LEVELS, String(level)])].sort((a, b) => Number(a) - Number(b));

export const isPapers = (priors: Inputs["priors"]) =>
  (Object.keys(PAPER_PRIORS) as Name[]).every((name) => priors[name] === PAPER_PRIORS[name]);
