import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/psychometric.json";
import sentenceScenarios from "../dev/recorded/sentences.json";
import psychometric from "../src/benches/psychometric";
import sentences from "../src/benches/sentences";
import type { PsychometricBenchState } from "../src/generated/psychometric";
import type { SentenceBenchState } from "../src/generated/sentences";
import type { Misfit, SubjectOption } from "../src/generated/shared";
import { grouped } from "../src/lib/bench/SubjectSelect";
import { byId, settle } from "./dom";
import { shown, text } from "./shown";

const option = (name: string, group: string, what: string): SubjectOption => ({
  name,
  group,
  what,
  about: "",
  kind: "",
  replicates: 1,
});
const MISFITS: Misfit[] = [
  ...(["clerk", "encoder"] as const).map((name) => ({
    name,
    group: "Language models",
    what: "language model",
    reason: "needs word vectors",
    bench: "Sentences",
    page: "sentences",
  })),
];
const SUBJECTS = [
  option("wiki", "Word embeddings", "32 embeddings"),
  option("mlm", "Language models", "masked language model"),
];

test("subjects stand under their kinds, those that fit first, with what they are", () => {
  const rows = grouped({ subjects: SUBJECTS, misfits: MISFITS });
  assert.deepEqual(
    rows.map(([group, found]) => [group, found.map((row) => row.text)]),
    [
      ["Word embeddings", ["wiki · 32 embeddings"]],
      [
        "Language models",
        [
          "mlm · masked language model",
          "clerk · needs word vectors",
          "encoder · needs word vectors",
        ],
      ],
    ],
  );
});

const stateOf = recorded<PsychometricBenchState>(scenarios);

test("one that does not fit is grey, can be reached, and is asked for as the others", async () => {
  const { root, model } = shown(psychometric, { ...stateOf("nurse"), misfits: MISFITS });
  await settle();
  const menu = byId(root, "subject-select") as HTMLSelectElement;
  const misfit = [...menu.options].find(({ value }) => value === "clerk")!;
  assert.equal(misfit.getAttribute("aria-disabled"), "true");
  assert.equal(misfit.disabled, false);
  menu.value = "clerk";
  menu.dispatchEvent(new Event("change", { bubbles: true }));
  assert.equal(model.state.subject, "clerk");
});

const WHY_NOT = {
  title: "clerk does not fit this bench",
  text: "This bench needs word vectors.",
  actions: [
    { label: "Open Sentences", page: "sentences?subject=clerk" },
    { label: "Back to wiki", set: { subject: "wiki" } },
  ],
};

test("the way to another bench is a link in the app, and missing in a notebook", async () => {
  const state = stateOf("nurse");
  const answer = { ...state.answer, state: "empty", message: WHY_NOT };
  const notebook = shown(psychometric, { ...state, answer });
  await settle();
  assert.equal(byId(notebook.root, "message-page"), null);
  assert.equal(text(notebook.root, "message-action"), "Back to wiki");
  const main = document.createElement("main");
  main.id = "content";
  document.body.append(main);
  const app = shown(psychometric, { ...state, answer });
  await settle();
  const link = byId(app.root, "message-page") as HTMLAnchorElement;
  assert.equal(link.getAttribute("href"), "sentences?subject=clerk");
});

test("models that do not fit stand under the others and cannot be ticked", async () => {
  const state = recorded<SentenceBenchState>(sentenceScenarios)("tested");
  const { root, model } = shown(sentences, { ...state, step: 1, misfits: MISFITS });
  await settle();
  const box = byId(root, "misfit-clerk") as HTMLInputElement;
  assert.equal(box.closest("details")!.open, false, "folded away");
  const before = model.state.models;
  box.click();
  await settle();
  assert.equal(box.checked, false);
  assert.equal(model.state.models, before);
  assert.ok(box.closest("label")!.textContent!.includes("needs word vectors"));
});
