import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { FakeModel, FakePanelModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/rating.json";
import bench from "../src/benches/rating";
import { type Inputs, Store } from "../src/benches/rating/store";
import { BIAS_RATINGS } from "../src/benches/rating/texts";
import type {
  LanguageDetail,
  MarkedMention,
  RatingAnswer,
  RatingBenchState,
  RatingPicture,
} from "../src/generated/rating";
import { Host } from "../src/host";
import { ManualClock } from "./clock";
import { allById, byId, settle, until } from "./dom";
import { asked, commandOf, type ModelKind, press, reply, shown, text, type } from "./shown";

const recordedState = recorded<RatingBenchState>(scenarios);
const stateOf = (scenario = "Spanish") => recordedState(scenario);

interface More {
  scenario?: string;
  state?: Record<string, unknown>;
  Kind?: ModelKind;
}

const show = (inputs: Partial<Inputs> = {}, { scenario, state, Kind }: More = {}) =>
  shown(bench, { ...stateOf(scenario), ...inputs, ...state }, Kind);

/** Shows Esperanto, and answers changed shares with what Python predicted of them. */
function showPredicted() {
  const view = show({}, { scenario: "Esperanto" });
  const { model } = view;
  const known = ["Esperanto", "80/20"].map((scenario) => stateOf(scenario));
  model.onMessage = ({ generation }) => {
    const same = (one: RatingBenchState) =>
      isDeepStrictEqual(one.distributions, model.state.distributions);
    const { answer } = known.find(same)!;
    queueMicrotask(() => model.receive({ answer: { ...answer, generation } }));
  };
  return view;
}

const pictureOf = (model: FakeModel) => (model.state.answer as RatingAnswer).picture!;
const said = (spans: readonly { text: string }[]) => spans.map((span) => span.text).join("");

for (const Kind of [FakeModel, FakePanelModel])
  test(`numbers on the screen are those of the answer (${Kind.name})`, async () => {
    const { root, model } = show({}, { Kind });
    await settle();
    const picture = pictureOf(model);
    assert.deepEqual(
      allById(root, "row").map(({ dataset: d }) => [d.language, d.paper, d.corrected]),
      picture.rows.map((row) => [row.language, row.paper, row.corrected]),
    );
    assert.deepEqual(
      allById(root, "row").map((row) => allById(row, "cell").map((c) => c.dataset.counts)),
      picture.rows.map((row) => row.cells.map((cell) => cell.counts.join(","))),
    );
    assert.deepEqual(
      allById(root, "input-cell").map((c) => c.dataset.shares),
      picture.blocks.map((block) => block.shares.join(",")),
    );
    assert.equal(byId(root, "overall")!.dataset.corrected, picture.overall[1]);
    assert.equal(text(root, "verdict"), said(picture.verdict));
    assert.match(text(root, "question"), /the translator/);
    const { trees } = picture.finding;
    assert.equal(trees.length, 2);
    for (const tree of trees) {
      const shown = byId(root, `tree-${tree.rule}`)!;
      assert.equal(shown.dataset.rating, tree.rating);
      const lit = allById(shown, "tree-node").filter((n) => n.dataset.lit !== undefined);
      assert.deepEqual(
        lit.map((n) => n.dataset.key),
        tree.nodes.filter((n) => n.on_path).map((n) => n.key),
      );
      const ways = allById(shown, "tree-edge").filter((n) => n.dataset.lit !== undefined);
      assert.equal(ways.length, tree.edges.filter((edge) => edge.on_path).length);
    }
    assert.equal(text(root, "explanation"), said(picture.finding.explanation));
    const [[reason, times]] = (model.state.detail as LanguageDetail).reasons as [[string, number]];
    assert.equal(text(root, "unresolved").includes(`${reason} (${times})`), true);
  });

test("probabilities and the balance point are those of the chosen language", async () => {
  const { root, model } = show({}, { scenario: "Esperanto" });
  await settle();
  const [esperanto] = pictureOf(model).rows;
  assert.deepEqual(
    allById(root, "probability").map((n) => [n.dataset.rating, Number(n.dataset.value)]),
    BIAS_RATINGS.map((rating, i) => [rating, esperanto!.probabilities[i]]),
  );
  const shownOf = byId(root, "balance")!.dataset;
  const { pse, interval, points } = stateOf("Esperanto").detail.balance!;
  assert.deepEqual([shownOf.pse, shownOf.low, shownOf.high].map(Number), [pse, ...interval!]);
  assert.equal(points.length, 3);
  assert.equal(allById(root, "balance-point").length, 3);
});

test("keys lead through the matrix: a row chooses the language, a cell its block too", async () => {
  const { root, model } = show();
  await settle();
  const matrix = byId(root, "matrix")!;
  press(matrix, "ArrowDown");
  await until("the language below", () => model.state.language === "ca");
  press(matrix, "ArrowRight");
  await until("the block beside", () => model.state.block === 1);
  assert.equal(model.state.language, "ca");
  assert.equal(
    matrix.getAttribute("aria-activedescendant"),
    root.querySelector('[role="gridcell"][aria-selected="true"]')!.id,
  );
  press(matrix, "Home");
  await until("the first language", () => model.state.language === "eo");
  allById(root, "row")[3]!.click();
  await until("the row that was clicked", () => model.state.language === "gl");
  assert.equal(model.state.block, 1, "a row keeps the block");
  allById(allById(root, "row")[1]!, "cell")[2]!.click();
  await until("the cell that was clicked", () => model.state.block === 2);
  assert.equal(model.state.language, "es");
  const { counts, mentions } = pictureOf(model).rows[1]!.cells[2]!;
  const [he, she, other] = counts;
  const cell = `Spanish, 90/10: ${he} he, ${she} she, ${other} other of ${mentions} mentions`;
  assert.ok(text(root, "cell-dock").startsWith(cell));
});

test("keys move a block's input at once, and what is predicted is said to be", async () => {
  const { root, model } = showPredicted();
  await settle();
  const point = () => allById(root, "input-point")[2]!;
  assert.equal(point().getAttribute("aria-valuetext"), "90 % he, 10 % she");
  point().focus();
  press(point(), "ArrowLeft", { shiftKey: true });
  await settle();
  assert.equal(point().dataset.shares, "0.8,0.2,0");
  assert.match(allById(root, "block-name")[2]!.textContent!, /80 \/ 20/);
  await until("the prediction", () => pictureOf(model).rows[0]!.cells[2]!.predicted);
  await settle();
  assert.match(allById(root, "block-name")[2]!.textContent!, /predicted/);
  const sent = model.state.distributions as Inputs["distributions"];
  assert.deepEqual(
    sent.map((d) => d.name),
    ["50/50", "10/90", "80/20"],
  );
  assert.match(
    text(root, "input-dock"),
    /80\/20, biased.*Esperanto: 80 % he, 20 % she \(predicted\)/,
  );
});

test("the way back to what was run is one press", async () => {
  const { root, model } = showPredicted();
  await settle();
  press(allById(root, "input-point")[2]!, "ArrowLeft", { shiftKey: true });
  await until("the prediction", () => pictureOf(model).rows[0]!.cells[2]!.predicted);
  await until("the way back", () => byId(root, "as-run") !== null);
  byId(root, "as-run")!.click();
  await settle();
  assert.equal(allById(root, "input-point")[2]!.dataset.shares, "0.9,0.1,0");
});

test("two blocks never have the same name", () => {
  const model = new FakeModel({ ...stateOf() });
  const store = new Store(new Host(model), new ManualClock());
  store.shares(1, [0.5, 0.5, 0]);
  const names = store.view.inputs.distributions.map((d) => d.name);
  assert.deepEqual(names, ["50/50", "50/50 (2)", "90/10"]);
  store.shares(1, [0.3, 0.7, 0]);
  assert.equal(store.view.inputs.distributions[1]!.name, "30/70");
  store.dispose();
});

test("of more than three values every one has its handle", async () => {
  const { root, model } = show({}, { scenario: "place of worship" });
  await settle();
  assert.equal(byId(root, "triangle"), null);
  const edges = allById(root, "input-edge");
  assert.equal(edges.length, 2 * 4);
  assert.match(edges[0]!.getAttribute("aria-label")!, /share of Church/);
  press(edges[0]!, "ArrowRight", { shiftKey: true });
  await settle();
  const [first] = model.state.distributions as Inputs["distributions"];
  assert.deepEqual(first!.shares, [0.35, 0.15, 0.25, 0.25, 0]);
  assert.equal(first!.name, "even", "a name of its own stays");
  assert.match(text(root, "question"), /the service/);
  assert.match(text(root, "languages"), /directly/);
  assert.deepEqual(
    allById(root, "row").map((row) => row.dataset.language),
    [""],
  );
});

test("run starts, tells how many are kept, and stops", async () => {
  const { root, model } = show({}, { scenario: "untested" });
  await settle();
  const { plan } = stateOf("untested");
  const button = () => byId(root, "run") as HTMLButtonElement;
  assert.equal(button().textContent, "Run");
  assert.equal(byId(root, "plan")!.dataset.calls, String(plan.calls));
  const left = new RegExp(
    `${plan.calls - plan.known} of them to make.*the others are answered already`,
  );
  assert.match(text(root, "run-status"), left);
  assert.ok(allById(root, "row").every((row) => row.textContent!.includes("not run yet")));
  button().click();
  const { name } = await asked(model, "run");
  assert.equal(name, "run");
  await settle();
  assert.equal(button().textContent, "Starting…");
  reply(model);
  const { answer } = stateOf("running");
  const picture = answer.picture!;
  const run = { ...picture.run, seconds_left: 2 };
  model.receive({ answer: { ...answer, picture: { ...picture, run }, generation: 1 } });
  await settle();
  assert.equal(button().textContent, `Cancel, keep ${run.done}`);
  const status = `${run.done} of ${run.total} texts, about 2 s left`;
  assert.ok(text(root, "run-status").includes(status));
  const rows = allById(root, "row");
  const { cells } = picture.rows[4]!;
  const [done, total] = (["done", "total"] as const).map((of) =>
    cells.reduce((all, cell) => all + cell[of], 0),
  );
  assert.ok(rows[4]!.textContent!.includes(`${done} of ${total} texts`));
  assert.match(rows[5]!.textContent!, /queued/);
  assert.ok(
    cells[1]!.done > 0 && cells[1]!.done < cells[1]!.total,
    "it stands in the second block",
  );
  assert.equal(allById(rows[4]!, "cell")[1]!.dataset.done, String(cells[1]!.done));
  assert.ok((byId(root, "save-run") as HTMLButtonElement).disabled);
  button().click();
  await asked(model, "stop");
  await settle();
  assert.equal(button().textContent, "Stopping…");
  reply(model);
});

test("a run that cannot begin says why, and is asked for again", async () => {
  const { root, model } = show({}, { scenario: "untested" });
  await settle();
  byId(root, "run")!.click();
  await asked(model, "run");
  reply(model, false, "Apertium does not answer.");
  await until("the reason", () => text(root, "notice") === "Apertium does not answer.");
  assert.equal(text(root, "run"), "Run");
});

test("a design with a problem cannot be run, and says what to do", async () => {
  const plan = { ...stateOf("untested").plan, problem: "Choose at least one language." };
  const { root } = show({ middles: [] }, { scenario: "untested", state: { plan } });
  await settle();
  assert.ok((byId(root, "run") as HTMLButtonElement).disabled);
  assert.equal(text(root, "plan-problem"), "Choose at least one language.");
});

test("services are found by their words, chosen by keys, described, and removed", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "service")!.click();
  await settle();
  const listed = () =>
    [...byId(root, "services")!.querySelectorAll(".service b")].map((n) => n.textContent);
  const names = stateOf().services.map((service) => service.name);
  assert.deepEqual(names.slice(0, 4), ["phrase book", "faithful", "always he", "mine"]);
  assert.deepEqual(listed(), names);
  byId(root, "remove-mine")!.click();
  assert.deepEqual((await asked(model, "remove-service")).args, { name: "mine" });
  reply(model);
  type(root, "service-search", "simulated");
  await settle();
  assert.deepEqual(listed(), ["faithful", "always he"]);
  press(byId(root, "service-search")!, "ArrowDown");
  await settle();
  press(byId(root, "service-search")!, "Enter");
  await until("the service", () => model.state.service === "always he");
  await settle();
  assert.equal(byId(root, "service-card"), null);
  assert.match(text(root, "service"), /always he/);

  byId(root, "service")!.click();
  await settle();
  byId(root, "describe-open")!.click();
  await settle();
  type(root, "toml", "name = 1");
  await settle();
  byId(root, "describe-add")!.click();
  assert.deepEqual((await asked(model, "describe")).args, { toml: "name = 1" });
  reply(model, false, "name is no text.");
  await until("what is wrong", () => text(root, "describe-problem") === "name is no text.");
  assert.equal((byId(root, "toml") as HTMLTextAreaElement).value, "name = 1", "it is kept");
});

test("the key of a chat endpoint is sent once and held nowhere", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "service")!.click();
  await settle();
  byId(root, "describe-open")!.click();
  await settle();
  (byId(root, "describe-chat") as HTMLInputElement).click();
  await settle();
  type(root, "chat-model", "small");
  type(root, "key", "secret");
  await settle();
  byId(root, "describe-add")!.click();
  const { args } = await asked(model, "chat");
  assert.deepEqual(args, { name: "", base_url: "", model: "small", key: "secret" });
  await settle();
  assert.equal((byId(root, "key") as HTMLInputElement).value, "");
  reply(model, true, "small is added.");
  await until("the card is gone", () => byId(root, "service-card") === null);
});

test("two services in a row become a service", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "service")!.click();
  await settle();
  byId(root, "describe-open")!.click();
  await settle();
  (byId(root, "describe-compose") as HTMLInputElement).click();
  await settle();
  byId(root, "describe-add")!.click();
  const { args } = await asked(model, "compose");
  assert.deepEqual(args, { first: "phrase book", second: "faithful" });
  reply(model);
});

test("languages are chips, in the order in which they are offered", async () => {
  const { root, model } = show({ middles: ["gl", "eo"] });
  await settle();
  byId(root, "language-es")!.click();
  await until("another language", () => (model.state.middles as string[]).length === 3);
  assert.deepEqual(model.state.middles, ["eo", "es", "gl"]);
  byId(root, "language-eo")!.click();
  await until("one less", () => (model.state.middles as string[]).length === 2);
  assert.equal(byId(root, "language-eo")!.getAttribute("aria-pressed"), "false");
});

test("blocks by numbers: what does not sum to 1 is said, and can be scaled", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "blocks")!.click();
  await settle();
  assert.equal(allById(root, "block-line").length, 3);
  type(root, "share-1-0", "30", "change");
  await until("the problem", () => /120 %/.test(text(root, "sum-1")));
  byId(root, "scale-1")!.click();
  await until("it sums to 1", () => {
    const [, one] = model.state.distributions as Inputs["distributions"];
    return Math.abs(one!.shares.reduce((a, b) => a + b, 0) - 1) < 1e-9;
  });
  byId(root, "add-biased")!.click();
  await settle();
  assert.equal(allById(root, "block-line").length, 4);
  byId(root, "remove-block-3")!.click();
  await settle();
  assert.equal(allById(root, "block-line").length, 3);
  byId(root, "preset")!.click();
  await asked(model, "preset");
  reply(model);
});

test("rules are sent as they are changed, in shares of 1", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "rules")!.click();
  await settle();
  type(root, "margin", "5", "change");
  await until("the margin", () => model.state.equivalence_margin === 0.05);
  (byId(root, "unit-text") as HTMLInputElement).click();
  await until("the unit", () => model.state.unit === "text");
  (byId(root, "without-eo") as HTMLInputElement).click();
  await until("without", () => (model.state.without as string[]).join() === "eo");
  await settle();
  assert.match(text(root, "overall-without"), /without Esperanto/);
});

test("the power curve is made on demand, and its block size is one press away", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "power")!.click();
  await settle();
  byId(root, "power-make")!.click();
  await asked(model, "power");
  reply(model);
  const { power } = stateOf("power");
  model.receive({ power });
  await settle();
  assert.equal(byId(root, "power-chart")!.dataset.recommended, String(power.recommended));
  assert.deepEqual(
    allById(root, "power-line").map((n) => n.dataset.service),
    power.services,
  );
  byId(root, "use-recommended")!.click();
  await until("the size", () => model.state.texts === power.recommended);
});

test("every text is shown with its marks, and filtered", async () => {
  const { root, model } = show();
  await settle();
  const first = allById(root, "text")[0]!;
  const marks = [...first.querySelectorAll<HTMLElement>("mark")];
  const { texts } = stateOf().detail;
  const row = texts[0]!;
  const marked = (said: string, mentions: MarkedMention[]) =>
    mentions.map(({ spans: [[from, to]], value }) => [said.slice(from, to), String(value)]);
  assert.deepEqual(
    marks.map((m) => [m.firstChild!.textContent, m.dataset.value]),
    [
      ...marked(row.source, row.source_marks),
      ...marked(row.middle, row.middle_marks),
      ...marked(row.back, row.back_marks),
    ],
  );
  assert.equal(marks.length, 6);
  assert.ok(marks[2]!.classList.contains("moved"));
  assert.ok(marks[4]!.classList.contains("changed"));
  assert.ok(marks[0]!.classList.contains("says-g1"));
  (byId(root, "filter-unresolved") as HTMLInputElement).click();
  await settle();
  const unread = texts.filter((one) => one.back_marks.some((mark) => mark.value < 0));
  assert.ok(unread.length > 1);
  assert.equal(text(root, "text-count"), `Spanish, ${unread.length} texts`);
  assert.equal(text(root, "reason"), "no word in the rules gives the gender");
  (byId(root, "text-block-2") as HTMLInputElement).click();
  await until("the block", () => model.state.block === 2);
});

test("the composition table shows both rules and says why", async () => {
  const { root, model } = show({ composition: "paper" });
  await settle();
  const cells = () => allById(root, "composed-rating").map((n) => n.dataset.rating);
  assert.deepEqual(cells(), ["UCS", "DSBS", "BS", "UCS", "DSBS", "BS", "UCS", "BS", ""]);
  (byId(root, "composition-definition") as HTMLInputElement).click();
  await until("the rule", () => model.state.composition === "definition");
  await settle();
  assert.equal(cells()[1], "UCS");
  const table = byId(root, "composition-table")!;
  press(table, "ArrowRight");
  await settle();
  press(table, "End");
  await settle();
  assert.match(text(root, "composition-reason"), /BS then BS: test anew/);
  press(table, "Escape");
  await settle();
  assert.match(text(root, "composition-reason"), /must be tested anew/);
  assert.equal(byId(root, "composed-line")!.dataset.agrees, "true");
  assert.match(text(root, "composed-line"), /predicted BS, measured BS/);
});

test("the middle text is listed by term", async () => {
  const { root } = show();
  await settle();
  byId(root, "middle")!.click();
  await settle();
  const rows = [...byId(root, "middle-table")!.querySelectorAll("tbody tr")];
  assert.deepEqual(
    rows.map((row) => row.querySelector("th")!.textContent),
    ["engineer", "nurse", "plumber", "teacher"].flatMap((term) => [term, term]),
  );
});

test("the rating card comes in three formats", async () => {
  const { root, model } = show();
  await settle();
  for (const format of ["html", "markdown", "json"]) {
    byId(root, "card")!.click();
    await settle();
    byId(root, `card-${format}`)!.click();
    await until(format, () => commandOf(model).args.format === format);
    reply(model, true, "The card is ready.");
    await until("the notice", () => text(root, "notice") === "The card is ready.");
  }
});

test("a language that failed says why, and can be asked again", async () => {
  const state = stateOf();
  const picture = state.answer.picture as RatingPicture;
  const rows = picture.rows.map((row) =>
    row.language === "es"
      ? { ...row, state: "failed" as const, message: "It answered 500.", corrected: null }
      : row,
  );
  const answer = { ...state.answer, picture: { ...picture, rows } };
  const { root, model } = show({}, { state: { answer } });
  await settle();
  assert.match(text(root, "row-message"), /Spanish It answered 500\./);
  byId(root, "retry")!.click();
  await asked(model, "retry");
  reply(model);
});
