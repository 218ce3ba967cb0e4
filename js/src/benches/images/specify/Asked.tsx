import { useState } from "preact/hooks";
import { LevelAndSeed } from "../../../lib/bench/LevelAndSeed";
import { Segmented } from "../../../lib/ui/Controls";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { NumberField } from "../../../lib/ui/NumberField";
import type { Store, View } from "../store";
import { KINDS } from "../texts";

const AGGREGATES = [
  { value: "sum", label: "sum" },
  { value: "mean", label: "mean" },
  { value: "any", label: "any" },
] as const;

const AGGREGATE_TEXT = {
  sum: "The probability of a list: its concepts’ together. The rule of Jiang et al. (2023) for CLIP.",
  mean: "The mean of each list’s concepts, of both lists together 1: for lists of unlike length.",
  any: "1 when the most probable concept is in the list, else 0. The rule of Jiang et al. (2023) for answers in words.",
};

/** What models are asked, and how a list’s concepts become one answer. */
export function Asked({ store, view }: { store: Store; view: View }) {
  const { inputs, subjects } = view;
  const kinds = subjects
    .filter((s) => inputs.models.includes(s.name))
    .map((s) => (KINDS as Record<string, string>)[s.kind]);
  const other = kinds.length === 0 || kinds.some((k) => k !== "captions" && k !== "questions");
  return (
    <div class="scoring column">
      {(other || kinds.includes("captions")) && (
        <Templates store={store} view={view} field="captions" kind="caption" />
      )}
      {(other || kinds.includes("questions")) && (
        <Templates store={store} view={view} field="questions" kind="question" />
      )}
      <Segmented
        {...store.input("aggregate")}
        label="A list’s concepts become one answer by"
        options={AGGREGATES}
      />
      <p class="quiet">{AGGREGATE_TEXT[inputs.aggregate]}</p>
      <Disclosure
        label="More settings"
        text={`${inputs.per_term} per term, ${Math.round(inputs.level * 100)} % intervals, seed ${inputs.seed}`}
        testid="settings"
        class="more-settings right-card"
      >
        {() => (
          <div class="numbers-row">
            <NumberField {...store.input("per_term")} label="Per term" />
            <LevelAndSeed level={store.input("level")} seed={store.input("seed")} />
          </div>
        )}
      </Disclosure>
    </div>
  );
}

const PLACE = "{concept}";

interface TemplatesProps {
  store: Store;
  view: View;
  field: "captions" | "questions";
  kind: "caption" | "question";
}

/** The captions, or the questions: those offered, and one's own. None chosen is the model's own. */
function Templates({ store, view, field, kind }: TemplatesProps) {
  const chosen = view.inputs[field];
  const [draft, setDraft] = useState("");
  const [problem, setProblem] = useState("");
  const offered = view.templates.filter((t) => t.kind === kind).map((t) => t.text);
  const all = [...offered, ...chosen.filter((text) => !offered.includes(text))];
  const set = (texts: string[]) => store.set({ [field]: texts });
  const add = (typed: string) => {
    const text = typed.replace(/\s+/g, " ").trim();
    if (!text) return;
    if (kind === "caption" && !text.includes(PLACE)) {
      setProblem(`Write ${PLACE} where the concept stands.`);
      return;
    }
    setDraft("");
    if (!chosen.includes(text)) set([...chosen, text]);
  };
  return (
    <fieldset class="model-choices" data-testid={field}>
      <legend>
        {kind === "caption" ? "Captions compared" : "Questions asked"}
        {chosen.length === 0 && <span class="quiet"> (each model’s own)</span>}
      </legend>
      {all.map((text) => (
        <label key={text} class="model-choice">
          <input
            type="checkbox"
            checked={chosen.includes(text)}
            data-testid={kind}
            onChange={(event) =>
              set(
                event.currentTarget.checked
                  ? all.filter((t) => t === text || chosen.includes(t))
                  : chosen.filter((t) => t !== text),
              )
            }
          />
          <span>{text}</span>
        </label>
      ))}
      <div class="add-template">
        <input
          type="text"
          class="field"
          dir="auto"
          aria-label={`Another ${kind}`}
          aria-invalid={problem !== ""}
          placeholder={kind === "caption" ? `a portrait of the ${PLACE}` : "another question?"}
          data-testid={`add-${kind}`}
          value={draft}
          onInput={(event) => {
            setDraft(event.currentTarget.value);
            setProblem("");
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") add(event.currentTarget.value);
          }}
        />
        <button
          type="button"
          class="button rigid"
          disabled={!draft.trim()}
          onClick={() => add(draft)}
        >
          Add
        </button>
      </div>
      {problem && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
