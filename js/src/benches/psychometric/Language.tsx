import type { PsychometricBenchState } from "../../generated/psychometric";
import { Select } from "../../lib/ui/Controls";
import type { Store, View } from "./store";

type Code = PsychometricBenchState["language"];
type Design = PsychometricBenchState["frame_design"];

const TITLES: Record<Code, string> = {
  en: "English",
  de: "German",
  es: "Spanish",
  fr: "French",
  it: "Italian",
  nl: "Dutch",
  pl: "Polish",
  pt: "Portuguese (Brazil)",
  tr: "Turkish",
};
const LANGUAGES = (Object.keys(TITLES) as Code[]).map((value) => ({ value, label: TITLES[value] }));
/** Turkish has no forms for gender, so that nothing can agree. */
const WITHOUT_GENDER: ReadonlySet<Code> = new Set<Code>(["tr"]);
const DESIGNS: readonly { value: Design; label: string }[] = [
  { value: "neutral", label: "field of work" },
  { value: "both", label: "both forms" },
  { value: "feminine", label: "feminine form" },
  { value: "masculine", label: "masculine form" },
];

/** The language in which a model is asked; its frames bring their items and cues. */
export function Language({ store, view }: { store: Store; view: View }) {
  const { language, frame_design: design } = view.inputs;
  const choose = (next: Code) =>
    store.set({ language: next, frame_design: WITHOUT_GENDER.has(next) ? "neutral" : design });
  return (
    <>
      <Select
        label="Language of the frames"
        testid="language-select"
        value={language}
        options={LANGUAGES}
        onChange={choose}
      />
      {language !== "en" && !WITHOUT_GENDER.has(language) && (
        <Select
          {...store.input("frame_design")}
          label="Occupation in the sentence"
          testid="design-select"
          options={DESIGNS}
        />
      )}
    </>
  );
}
