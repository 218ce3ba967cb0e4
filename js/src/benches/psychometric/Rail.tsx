import { CURVES, FAMILIES, JNDS, RATES, SCORINGS } from "../../lib/bench/options";
import { SubjectSelect } from "../../lib/bench/SubjectSelect";
import { fixed } from "../../lib/format";
import { Combobox } from "../../lib/ui/Combobox";
import { Segmented, Select, Slider } from "../../lib/ui/Controls";
import { Term } from "../../lib/ui/Term";
import { EditWords } from "./EditWords";
import { Language } from "./Language";
import { Observer } from "./Observer";
import { PairPicker } from "./PairPicker";
import type { Store, View } from "./store";

/** All that a person can change, top to bottom in the order in which one thinks of it. */
export function Rail({ store, view }: { store: Store; view: View }) {
  const { inputs, subjects, answer } = view;
  const subject = subjects.find((s) => s.name === inputs.subject);
  const seen = answer.picture?.rows.replicate.at(-1) ?? 1;
  // A subject that is not open yet does not know how many it has.
  const isModel = subject?.kind === "mlm" || subject?.kind === "clm";
  const known = isModel ? answer.picture?.available : subject?.replicates;
  const all = known || Math.max(seen, inputs.replicates);
  const used = inputs.replicates === 0 ? all : Math.min(inputs.replicates, all);
  const unknown = answer.unknown?.term === inputs.word ? answer.unknown : null;
  const curve = store.input("curve");
  return (
    <form class="rail column" aria-label="Settings" onSubmit={(event) => event.preventDefault()}>
      <SubjectSelect {...store.input("subject")} view={view} testid="subject-select" />
      {isModel && <Language store={store} view={view} />}
      <div class="word">
        <Combobox
          {...store.input("word")}
          label="Word"
          testid="word-input"
          options={inputs.words}
          placeholder="any word"
          aside={answer.position}
          problem={unknown ? unknown.reason : undefined}
          help={
            unknown && (
              <Unknown
                term={unknown.term}
                reason={unknown.reason}
                suggestions={unknown.suggestions}
                onPick={(word) => store.set({ word })}
              />
            )
          }
          onStep={(by) => store.step(by)}
        />
        <EditWords store={store} view={view} />
      </div>
      <PairPicker store={store} view={view} />
      {isModel ? <OwnAnswers /> : <Observer store={store} view={view} />}
      <Slider
        label={isModel ? "Frames" : "Replicates"}
        testid="replicates"
        value={used}
        min={1}
        max={all}
        step={1}
        shown={String(used)}
        spoken={`${used} of ${all}`}
        disabled={all <= 1}
        onInput={(n) => store.set({ replicates: n >= all ? 0 : n })}
      />
      <Slider
        label="Stimulus levels"
        testid="levels"
        value={inputs.levels}
        min={3}
        max={101}
        step={1}
        shown={fixed(inputs.levels, 0)}
        onInput={(levels) => store.set({ levels })}
      />
      {isModel ? (
        <Segmented
          {...curve}
          value={curve.value === "auto" ? "normal" : curve.value}
          label="Curve"
          options={FAMILIES}
          columns={2}
        />
      ) : (
        <Segmented
          {...curve}
          label="Curve"
          aside={
            <span class="value" data-testid="curve-drawn">
              {curve.value === "auto" && answer.picture?.curve.family}
            </span>
          }
          options={CURVES}
          columns={2}
        />
      )}
      <Select
        {...store.input("jnd")}
        label="JND convention"
        testid="jnd-select"
        aside={<Term name="JND">meaning</Term>}
        options={JNDS}
      />
      {isModel && (
        <Select
          {...store.input("rates")}
          label="Guess and lapse rates"
          testid="rates-select"
          options={RATES}
        />
      )}
      {isModel ? (
        <div class="control">
          <div class="control-head">
            <span>Scoring</span>
          </div>
          <p class="quiet own-answers" data-testid="own-scoring">
            Probability of the second cue among the two, at the blank of the sentence frame.
          </p>
        </div>
      ) : (
        <Select
          {...store.input("scoring")}
          label="Scoring"
          testid="scoring-select"
          options={SCORINGS}
        />
      )}
    </form>
  );
}

/** What stands in place of the observer's noise where a subject has its own. */
function OwnAnswers() {
  return (
    <div class="control">
      <div class="control-head">
        <span>Perceptual noise</span>
        <span class="value">its own</span>
      </div>
      <p class="quiet own-answers" data-testid="own-noise">
        A language model answers with probabilities of its own: no noise, prior or decision rule can
        be stated.
      </p>
    </div>
  );
}

interface UnknownProps {
  term: string;
  reason: string;
  suggestions: string[];
  onPick: (word: string) => void;
}

function Unknown({ term, reason, suggestions, onPick }: UnknownProps) {
  return (
    <div data-testid="unknown">
      <p class="unknown-text">
        <b>{term}</b>: {reason}
      </p>
      {suggestions.length > 0 && (
        <div class="suggestions wrap-row">
          <span class="quiet">Nearest known</span>
          {suggestions.map((word) => (
            <button
              key={word}
              type="button"
              class="button"
              data-testid="suggestion"
              onClick={() => onPick(word)}
            >
              {word}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
