import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/psychometric.json";
import ratings from "../dev/recorded/rating.json";
import psychometric from "../src/benches/psychometric";
import rating from "../src/benches/rating";
import { PSYCHOMETRIC_TERMS } from "../src/generated/glossary";
import type { PsychometricBenchState } from "../src/generated/psychometric";
import type { RatingBenchState } from "../src/generated/rating";
import type { How } from "../src/generated/shared";
import { allById, byId, settle, until } from "./dom";
import { asked, commandOf, press, reply, shown, text } from "./shown";

const stateOf = recorded<PsychometricBenchState>(scenarios);
const ratingOf = recorded<RatingBenchState>(ratings);

const HOW: How = {
  about: "“nurse” between female and male.",
  steps: [
    { title: "Blend", formula: "s = (1 − α) c_{1} + α c_{2}", numbers: [], text: "" },
    { title: "Average", formula: "x^{2}", numbers: ["(1 + 3) / 2 = 2"], text: "The JND is 2." },
  ],
  references: [
    { text: "Holm, S. (1979).", url: "https://example.org/holm" },
    { text: "A manuscript.", url: "" },
  ],
  guide: "docs/benches/psychometric.md",
};

/** Longer than the panel waits for inputs to be still. */
function pause(): Promise<void> {
  const end = Date.now() + 400;
  return until("a pause", () => Date.now() > end);
}

const show = () => shown(psychometric, stateOf("nurse"));

async function opened() {
  const view = show();
  await settle();
  byId(view.root, "how-open")!.click();
  await asked(view.model, "how");
  reply(view.model, true, "", { how: HOW });
  await until("the steps", () => byId(view.root, "how-about") !== null);
  return view;
}

test("nothing is asked for before it is opened", async () => {
  const { root, model } = show();
  await settle();
  const button = byId(root, "how-open")!;
  assert.equal(button.getAttribute("aria-expanded"), "false");
  assert.equal(byId(root, "how-panel"), null);
  assert.notEqual(commandOf(model).name, "how");
});

test("opened it shows the steps, with what stands below and above the line", async () => {
  const { root } = await opened();
  assert.equal(byId(root, "how-open")!.getAttribute("aria-expanded"), "true");
  assert.equal(byId(root, "how-open")!.getAttribute("aria-controls"), byId(root, "how-panel")!.id);
  assert.equal(text(root, "how-about"), HOW.about);
  const [first, second] = allById(root, "how-step");
  assert.deepEqual(
    [...first!.querySelectorAll("sub")].map((e) => e.textContent),
    ["1", "2"],
  );
  assert.equal(second!.querySelector("sup")!.textContent, "2");
  assert.match(second!.textContent!, /\(1 \+ 3\) \/ 2 = 2/);
  const links = [...byId(root, "how-panel")!.querySelectorAll("a")].map((a) => a.href);
  assert.deepEqual(links, ["https://example.org/holm"]);
  assert.match(text(root, "how-panel"), /docs\/benches\/psychometric\.md/);
});

test("it is asked again when the answer changes, and not otherwise", async () => {
  const { root, model } = await opened();
  const { id } = commandOf(model);
  await pause();
  assert.equal(commandOf(model).id, id, "a reply asks for no other");
  const { generation } = model.state;
  model.receive({ answer: { ...stateOf("chef").answer, generation } });
  await until("another question", () => commandOf(model).id > id);
  assert.equal(commandOf(model).name, "how");
  assert.equal(text(root, "how-about"), HOW.about, "the last steps stay meanwhile");
});

test("closed it asks no more", async () => {
  const { root, model } = await opened();
  byId(root, "how-open")!.click();
  await settle();
  const { id } = commandOf(model);
  model.receive({ answer: { ...stateOf("chef").answer, generation: model.state.generation } });
  await pause();
  assert.equal(commandOf(model).id, id);
  assert.equal(byId(root, "how-panel"), null);
});

test("what goes wrong is said in the panel", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "how-open")!.click();
  await asked(model, "how");
  reply(model, false, "No answer. Try again.");
  await until("the problem", () => text(root, "how-panel").includes("No answer."));
});

test("a term shows its meaning under the focus and the pointer; Esc closes it", async () => {
  const { root } = show();
  await settle();
  const button = allById(root, "term").find((e) => e.dataset.term === "PSE")!;
  assert.equal(button.tagName, "BUTTON");
  assert.equal(button.textContent, "PSE (point of subjective equality)");
  assert.equal(byId(root, "tip"), null);
  button.dispatchEvent(new Event("focus"));
  await settle();
  const tip = byId(root, "tip")!;
  assert.equal(tip.getAttribute("role"), "tooltip");
  assert.equal(button.getAttribute("aria-describedby"), tip.id);
  const { meaning } = PSYCHOMETRIC_TERMS.find((term) => term.name === "PSE")!;
  assert.ok(tip.textContent!.includes(meaning));
  press(button, "Escape", { composed: true });
  await settle();
  assert.equal(byId(root, "tip"), null);
  assert.equal(button.getAttribute("aria-describedby"), null);
  button.parentElement!.dispatchEvent(new Event("mouseenter"));
  await settle();
  assert.notEqual(byId(root, "tip"), null);
  button.parentElement!.dispatchEvent(new Event("mouseleave"));
  await settle();
  assert.equal(byId(root, "tip"), null);
});

test("acronyms of a verdict explain themselves, and its text stays as it is", async () => {
  const state = ratingOf();
  const { root } = shown(rating, state);
  await settle();
  const verdict = byId(root, "verdict")!;
  const said = state.answer.picture!.verdict.map((span) => span.text).join("");
  assert.equal(verdict.textContent, said);
  const known = new Set(
    [...verdict.querySelectorAll<HTMLElement>("[data-term]")].map((e) => e.dataset.term),
  );
  const named = new Set(said.match(/\b(DSBS|UCS|BS)\b/g));
  assert.deepEqual(known, named);
  assert.ok(named.size > 0);
});
