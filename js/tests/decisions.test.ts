import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel, FakePanelModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import groups from "../dev/recorded/decision-groups.json";
import scenarios from "../dev/recorded/decisions.json";
import bench from "../src/benches/decisions";
import { besideHandle, placeWords } from "../src/benches/decisions/labels";
import { geometry } from "../src/benches/decisions/layout";
import { layers, nearest, place } from "../src/benches/decisions/marks";
import { ratioAt, shareAt } from "../src/benches/decisions/paths";
import { ratesAt, zOf } from "../src/benches/decisions/sensitivity/model";
import type { Inputs } from "../src/benches/decisions/store";
import { filled, planText, questionText } from "../src/benches/decisions/texts";
import { type DecisionBenchState, NO_PLAN, OUTPUTS } from "../src/generated/decisions";
import { around, type Box, boxOf, overlap } from "../src/lib/boxes";
import { linear } from "../src/lib/scale";
import { allById, byId, settle } from "./dom";
import { asked, commandOf, type ModelKind, press, reply, shown, text, type } from "./shown";

const plain = recorded<DecisionBenchState>(scenarios);
const ofGroups = recorded<DecisionBenchState>(groups);
const stateOf = (scenario: string) => (scenario in groups ? ofGroups : plain)(scenario);
const STATE = stateOf("done");
const PICTURE = STATE.answer.picture!;

function show(inputs: Partial<Inputs> = {}, scenario = "done", Kind?: ModelKind) {
  return shown(bench, { ...stateOf(scenario), ...inputs }, Kind);
}

test("a plan with an estimate of its time leaves out the tokens", () => {
  const plan = { ...NO_PLAN, questions: 576, tokens: 29676, at_most: false };
  assert.equal(planText({ plan }), "Asks 576 questions: about 30,000 tokens");
  const time = "about 4 minutes";
  assert.equal(
    planText({ plan: { ...plan, time } }),
    `Asks 576 questions: ${time} on this machine`,
  );
});

for (const Kind of [FakeModel, FakePanelModel]) {
  test(`numbers on the screen are those of the answer (${Kind.name})`, async () => {
    const { root } = show({}, "done", Kind);
    await settle();
    const gap = byId(root, "gap")!;
    assert.equal(Number(gap.dataset.value), PICTURE.gap!.value);
    PICTURE.curves.forEach((curve, i) => {
      assert.equal(Number(byId(root, `pse-${i + 1}`)!.dataset.value), curve.pse.value);
    });
    assert.equal(Number(byId(root, "trials")!.dataset.count), STATE.marks.at.length);
    assert.equal(text(root, "verdict"), PICTURE.verdict.map((span) => span.text).join(""));
  });
}

test("the text of the case follows name, level and wording at once", async () => {
  const { root, model } = show({ x: 6.5 });
  await settle();
  assert.match(text(root, "case-card"), /Lakisha.*6\.5 years/);
  byId(root, "cue-Greg")!.click();
  byId(root, "wording-2")!.click();
  await settle();
  const card = byId(root, "case-card")!.querySelector(".in:last-child")!.textContent!;
  assert.match(card, /Greg has 6\.5 years.*interview him/);
  assert.equal(model.state.generation ?? 0, 0, "nothing is sent for an answer");
});

test("a number that is being typed stays when an answer comes", async () => {
  const { root, model } = show();
  await settle();
  type(root, "margin", "8");
  const { picture } = stateOf("wide margin").answer;
  model.receive({ answer: { ...STATE.answer, picture } });
  await settle();
  assert.equal((byId(root, "margin") as HTMLInputElement).value, "8");
});

test("sensitivity and criterion on the screen are those of the answer", async () => {
  const { root, model } = show({}, "sensitivity");
  const { picture } = stateOf("sensitivity").answer;
  const { d, groups } = picture!.sensitivity;
  await settle();
  assert.equal(Number(byId(root, "forest-d")!.dataset.value), d.value);
  for (const [i, group] of groups.entries()) {
    assert.equal(Number(byId(root, `roc-point-${i + 1}`)!.dataset.hits), group.hits.value);
    assert.equal(Number(byId(root, `criterion-${i + 1}`)!.dataset.value), group.c.value);
  }
  press(byId(root, "cut-handle")!, "Home");
  await settle();
  assert.match(text(root, "common-1"), /100 % hits, \d+ % false alarms/);
  byId(root, "roc-zROC")!.click();
  await settle();
  assert.match(text(root, "roc"), /z-score \(hits\)/);
  assert.equal(model.state.generation ?? 0, 0, "nothing is sent for an answer");
});

test("the verdict on the gap stays until the other one is there", async () => {
  const { root } = show({ reading: "sensitivity" });
  await settle();
  assert.equal(text(root, "verdict"), PICTURE.verdict.map((span) => span.text).join(""));
  assert.equal(byId(root, "gap"), null);
  assert.equal((byId(root, "export-json") as HTMLButtonElement).disabled, true);
});

test("a criterion has the hits and false alarms of its z-scores", () => {
  const { hits, falseAlarms } = ratesAt(1.5, 0.4);
  assert.ok(Math.abs(zOf(hits) - zOf(falseAlarms) - 1.5) < 1e-6);
  assert.ok(Math.abs(zOf(hits) + zOf(falseAlarms) + 0.8) < 1e-6);
});

test("the question names the people in the text", () => {
  const view = { card: STATE.card, inputs: { ...STATE, cue_1: "Todd", cue_2: "Ebony" } };
  assert.match(questionText(view as never), /called Ebony need .* one called Todd\?$/);
});

test("of two candidates the second group's level differs from the middle one", () => {
  const state = stateOf("which of two");
  const view = { card: state.card, inputs: { ...state, x: 2 } };
  const levels = filled(view as never, 1).filter((piece) => piece.kind === "x");
  assert.deepEqual(
    levels.map(({ of, text }) => [of, text]),
    [
      [1, "10 years"],
      [0, "8 years"],
    ],
  );
});

test("N and W step through names and wordings, P goes to the points", async () => {
  const { root } = show({ x: 0 });
  await settle();
  const pressed = async (key: string, part: string, name: string) => {
    press(byId(root, "bench")!, key);
    await settle();
    return byId(root, part)!.getAttribute(name);
  };
  assert.equal(await pressed("n", "cue-Ebony", "aria-pressed"), "true");
  assert.equal(await pressed("w", "wording-2", "aria-pressed"), "true");
  const points = PICTURE.curves.map((curve) => curve.pse.value!).sort((a, b) => a - b);
  const at = Number(await pressed("p", "x-handle", "aria-valuenow"));
  assert.ok(Math.abs(at - points[0]!) <= 0.25);
});

test("lapses and slopes are offered for groups, and for two candidates without sharing", async () => {
  const options = (root: ShadowRoot, part: string) =>
    [...byId(root, part)!.querySelectorAll("option")].map(({ value }) => value);
  const groups = show({ lapses: "shared" });
  await settle();
  byId(groups.root, "settings")!.click();
  await settle();
  assert.deepEqual(options(groups.root, "lapses"), ["free", "shared", "equal", "none"]);
  assert.equal((byId(groups.root, "lapses") as HTMLSelectElement).value, "shared");
  const slopes = byId(groups.root, "slopes") as HTMLSelectElement;
  slopes.value = "shared";
  slopes.dispatchEvent(new Event("change", { bubbles: true }));
  assert.equal(groups.model.state.slopes, "shared");

  const two = show({ lapses: "shared" }, "which of two");
  await settle();
  byId(two.root, "settings")!.click();
  await settle();
  assert.deepEqual(options(two.root, "lapses"), ["free", "equal", "none"]);
  assert.equal((byId(two.root, "lapses") as HTMLSelectElement).value, "free");
  assert.equal(byId(two.root, "slopes"), null);
});

test("trials that come after the keys can be read at once", async () => {
  const { root, model } = show({ trial: 0 });
  const { marks } = STATE;
  model.receive({ marks: OUTPUTS.marks });
  await settle();
  byId(root, "trials")!.dispatchEvent(new Event("focus"));
  await settle();
  assert.equal(model.state.trial, 0);
  model.receive({ marks });
  await settle();
  assert.equal(model.state.trial, marks.number[0]);
});

test("keys typed into the case stay there", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "edit-case")!.click();
  await settle();
  press(byId(root, "case-text")!, "n");
  assert.equal(model.state.cue_2, "");
});

test("a name is left out by its cross or Delete, and one click brings it back", async () => {
  const { root, model } = show();
  await settle();
  press(byId(root, "cue-Todd")!, "Delete");
  assert.deepEqual(model.state.without_cues, ["Todd"]);
  await settle();
  assert.match(byId(root, "cue-Todd")!.getAttribute("aria-label")!, /left out: bring back/);
  byId(root, "cue-Todd")!.click();
  assert.deepEqual(model.state.without_cues, []);
  await settle();
  byId(root, "wording-1-out")!.click();
  await settle();
  assert.deepEqual(model.state.without_wordings, [1]);
});

test("arrows walk through the trials, Enter holds one, Esc lets it go", async () => {
  const { root, model } = show({ trial: 0 });
  await settle();
  const strips = byId(root, "trials")!;
  strips.dispatchEvent(new Event("focus"));
  press(strips, "ArrowRight");
  await settle();
  await settle();
  assert.equal(model.state.trial, STATE.marks.number[1]);
  press(strips, "Enter");
  await settle();
  assert.ok(root.querySelector(".trial-pinned"));
  press(byId(root, "bench")!, "Escape");
  await settle();
  assert.equal(root.querySelector(".trial-pinned"), null);
});

test("the dock tells the trial word for word", async () => {
  const { root } = show();
  await settle();
  byId(root, "trial-next")!.click();
  await settle();
  assert.equal(text(root, "dock-prompt"), STATE.detail.prompt);
  assert.equal(text(root, "dock-reply"), STATE.detail.reply);
});

test("before a run the line says what it will ask, and Start asks", async () => {
  const { root, model } = show({}, "empty");
  await settle();
  assert.match(text(root, "run-status"), /^Asks .* questions: about .* tokens$/);
  byId(root, "run")!.click();
  assert.equal((await asked(model, "run")).name, "run");
});

test("while it runs the same button stops, and says how many are kept", async () => {
  const { root, model } = show();
  const run = { ...PICTURE.run, running: true, done: 48, total: 400, adaptive: true };
  model.receive({ answer: { ...STATE.answer, picture: { ...PICTURE, run } } });
  await settle();
  assert.equal(text(root, "run"), "Stop, keep 48");
  assert.match(text(root, "run-status"), /^Asking: 48 of at most 400 questions/);
  byId(root, "run")!.click();
  await settle();
  assert.equal(commandOf(model).name, "stop");
});

test("a run says how many more questions lead to its aim, and what was paid", async () => {
  const { root, model } = show();
  const receive = async (change: object) => {
    const going = { running: true, done: 100, total: 400, adaptive: true, seconds_left: 60 };
    const run = { ...PICTURE.run, ...going, width: 1.9, tokens: 5200, stored: 0, ...change };
    model.receive({ answer: { ...STATE.answer, picture: { ...PICTURE, run } } });
    await settle();
  };
  await receive({ wanted: 1.7, left: 80, cost: "0.02 EUR" });
  assert.match(text(root, "run-status"), /stops at 1\.7: about 80 more, about 16 s$/);
  assert.equal(text(root, "run-cost"), "5,200 tokens, 0.02 EUR");
  await receive({ wanted: null, left: 5000, cost: "" });
  assert.match(text(root, "run-status"), /stops at a verdict: at most 300 more, about 60 s$/);
  assert.equal(text(root, "run-cost"), "5,200 tokens");
});

test("after a quick look the button says how long the rest takes", async () => {
  const { root, model } = show();
  const run = { ...PICTURE.run, adaptive: false, stopped: false, stale: false, done: 64 };
  const plan = { ...STATE.plan, questions: 576, at_most: false, time: "about 2 minutes" };
  model.receive({ plan, answer: { ...STATE.answer, picture: { ...PICTURE, run } } });
  await settle();
  assert.equal(text(root, "run"), "Ask all 576, about 2 minutes");
});

test("a server that failed leaves curves and names the stored answers", async () => {
  const { root, model } = show();
  const run = { ...PICTURE.run, problem: "The server answers 500.", stopped: true };
  model.receive({ answer: { ...STATE.answer, picture: { ...PICTURE, run } } });
  await settle();
  assert.match(text(root, "run-problem"), /500\. All \d+ answers so far are kept/);
  assert.ok(byId(root, "curve-1"));
  assert.equal(text(root, "run"), "Go on");
});

test("a subject that always says yes is a flat line that names where its point lies", async () => {
  const { root } = show({}, "always yes");
  await settle();
  const picture = stateOf("always yes").answer.picture!;
  assert.equal(byId(root, "gap"), null);
  picture.curves.forEach((curve, i) => {
    assert.ok(curve.share.every((share) => share === 1));
    assert.ok(curve.low.every((low) => low === curve.low[0] && low < 1));
    assert.ok(byId(root, `curve-${i + 1}`));
    assert.match(text(root, `beyond-${i + 1}`), /PSE below 0 years$/);
    assert.equal(byId(root, `pse-${i + 1}`), null);
  });
  assert.equal(byId(root, "curve-1")!.getAttribute("stroke-dasharray"), null);
  assert.ok(byId(root, "curve-2")!.getAttribute("stroke-dasharray"), "the line below is seen");
  const shares = [...root.querySelectorAll("text")].filter((one) => one.textContent === "100 %");
  assert.equal(shares.length, 1, "both lines have one number");
  assert.match(text(root, "verdict"), /their points lie below 0 years/);
  assert.equal(Number(byId(root, "trials")!.dataset.count), 36);
});

test("of two groups there is no choice and no table of them", async () => {
  const { root } = show();
  await settle();
  assert.equal(byId(root, "groups"), null);
  assert.equal(byId(root, "all-groups-table"), null);
});

test("a press on a group compares it with the first, on one of the two swaps them", async () => {
  const { root, model } = show({}, "crossed groups");
  await settle();
  const [one, two, , four] = stateOf("crossed groups").card.group_names;
  assert.equal(byId(root, `group-${one}`)!.getAttribute("aria-label"), `${one}, first group`);
  byId(root, `group-${four}`)!.click();
  assert.deepEqual(model.state.groups, [one, four]);
  const second = show({}, "crossed groups");
  await settle();
  byId(second.root, `group-${two}`)!.click();
  assert.deepEqual(second.model.state.groups, [two, one]);
  const third = show({}, "crossed groups");
  await settle();
  byId(third.root, "all-groups")!.click();
  assert.equal(third.model.state.all_groups, false);
});

test("all groups have a row, and traits their effects", async () => {
  const { root } = show({}, "crossed groups");
  await settle();
  const picture = stateOf("crossed groups").answer.picture!;
  assert.equal(picture.points.length, 4);
  picture.points.forEach((point, i) => {
    const row = byId(root, `point-${i + 1}`)!;
    assert.equal(Number(row.dataset.value), point.pse.value);
    assert.equal(Number(row.dataset.gap), point.gap.value);
    assert.match(row.textContent!, new RegExp(point.name));
  });
  for (const { trait, effect } of picture.effects)
    assert.equal(Number(byId(root, `effect-${trait}`)!.dataset.value), effect.value);
  assert.equal(picture.effects.length, 2);
});

test("the gauge of who cannot say is there only where that was offered", async () => {
  const { root } = show();
  await settle();
  assert.equal(byId(root, "gauge-cannot-say"), null);
  const offered = show({ cannot_say: true });
  await settle();
  assert.ok(byId(offered.root, "gauge-cannot-say"));
});

test("an error in the edited case stands below it, and the text stays", async () => {
  const { root, model } = show({}, "bad text");
  await settle();
  byId(root, "edit-case")!.click();
  await settle();
  assert.equal(text(root, "case-problem"), stateOf("bad text").case_problem);
  type(root, "case-text", 'name = "other"');
  await settle();
  byId(root, "use-case")!.click();
  assert.equal(model.state.case_text, 'name = "other"');
});

test("an edited case is saved under a title, and a refusal stands below the text", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "edit-case")!.click();
  await settle();
  type(root, "case-title", "Hiring: a baker");
  await settle();
  byId(root, "save-case")!.click();
  const { args } = await asked(model, "save-case");
  assert.deepEqual([args.title, args.text], ["Hiring: a baker", STATE.card.toml]);
  reply(model, false, "It is already there.");
  await settle();
  assert.equal(text(root, "case-problem"), "It is already there.");
  byId(root, "save-case")!.click();
  await asked(model, "save-case");
  reply(model, true, "Saved.", { content: "hiring-a-baker" });
  await settle();
  assert.equal(model.state.case, "hiring-a-baker");
  assert.equal(byId(root, "case-text"), null);
});

test("an own case is deleted after a second press, and another one chosen", async () => {
  const own = { name: "mine", title: "Mine", problem: "", own: true };
  const inputs = { case: "mine", cases: [...STATE.cases, own] };
  const { root, model } = show(inputs);
  await settle();
  byId(root, "edit-case")!.click();
  await settle();
  byId(root, "delete-case")!.click();
  await settle();
  assert.equal(text(root, "delete-case"), "Delete “Mine” for good");
  byId(root, "delete-case")!.click();
  assert.equal((await asked(model, "delete-case")).args.name, "mine");
  reply(model, true, "Deleted.");
  await settle();
  assert.equal(model.state.case, STATE.cases[0]!.name);
});

test("a share is the curve's at a level, and between two levels lies between", () => {
  const { levels, curves } = PICTURE;
  const curve = curves[0]!;
  assert.equal(shareAt(levels, curve, levels[10]!).value, curve.share[10]);
  const middle = (levels[10]! + levels[11]!) / 2;
  const { value } = shareAt(levels, curve, middle);
  assert.ok(curve.share[10]! <= value && value <= curve.share[11]!);
  assert.equal(ratioAt(PICTURE, PICTURE.ratio_levels[3]!).value, PICTURE.ratio[3]!.value);
});

test("five thousand trials get a mark each, inside the strips, in a few paths", () => {
  const n = 5000;
  const column = (of: (i: number) => number) => Array.from({ length: n }, (_, i) => of(i));
  const marks = {
    ...STATE.marks,
    number: column((i) => i + 1),
    at: column((i) => (i % 33) / 2),
    group: column((i) => i % 2),
    kind: column((i) => (i % 97 === 0 ? 3 : Math.floor(i / 7) % 2)),
    first: column((i) => Math.floor(i / 3) % 2),
  };
  const g = geometry(660);
  const x = linear([0, 16], [g.axisLeft, g.axisRight]);
  const placed = place(marks, g, x, true);
  for (let i = 0; i < n; i++) {
    const y = placed.y[i]!;
    if (marks.kind[i] === 1) assert.ok(y < g.top && y > g.stripTop - 1, `${y}`);
    if (marks.kind[i] === 0) assert.ok(y > g.bottom && y < g.stripBottom + 1, `${y}`);
    assert.ok(Math.abs(placed.x[i]! - x(marks.at[i]!)) < 12);
  }
  const drawn = layers(marks, placed, true);
  assert.ok(drawn.length <= 8);
  const dots = drawn
    .filter(({ look }) => look === "dot")
    .reduce((sum, { d }) => sum + d.split("M").length - 1, 0);
  assert.equal(dots, marks.kind.filter((kind) => kind < 2).length);
  assert.equal(nearest(placed, placed.x[7]!, placed.y[7]!), 7);
});

for (const scenario of ["done", "wide margin", "which of two"]) {
  const state = stateOf(scenario);
  const view = { answer: state.answer, card: state.card, inputs: state } as never;
  const placed = (width: number) => {
    const g = geometry(width);
    const x = linear([state.card.low, state.card.high], [g.axisLeft, g.axisRight]);
    return { g, x, ...placeWords(g, x, view) };
  };

  test(`the words of the gap meet no line of a point, however narrow (${scenario})`, () => {
    for (const width of [300, 342, 420, 519]) {
      const { g, x, points, gap } = placed(width);
      assert.ok(points.length > 0 && gap !== null);
      for (const { value } of points) {
        const at = x(value);
        const line = { left: at - 1, right: at + 1, top: (g.top + g.bottom) / 2, bottom: g.gapY };
        for (const box of gap.boxes) assert.ok(!overlap(box, line), `${width}: ${at}`);
      }
      for (const box of gap.boxes) assert.ok(box.bottom < g.ridgeTop && box.right < g.width);
    }
  });

  test(`the guide leaves a gap at every word that it would cross (${scenario})`, async () => {
    const { names, points, gap } = placed(660);
    const boxes = [...names, ...points].map(({ box }) => box).concat(gap!.boxes);
    const { low, high } = state.card;
    let broken = 0;
    for (let share = 0; share <= 1; share += 0.1) {
      const { root } = show({ x: low + share * (high - low) }, scenario);
      await settle();
      const guide = byId(root, "x-guide")!;
      const at = Number(guide.dataset.x);
      const parts = guide.getAttribute("d")!.split("M").filter(Boolean);
      broken += parts.length - 1;
      for (const part of parts) {
        const [top, bottom] = part
          .match(/ ([\d.]+)V([\d.]+)/)!
          .slice(1)
          .map(Number);
        const line = { left: at - 1, right: at + 1, top: top!, bottom: bottom! };
        for (const box of boxes) assert.ok(!overlap(box, line), `${share}: ${part}`);
      }
    }
    assert.ok(broken > 0, "some word is crossed somewhere");
  });
}

test("no number of a point lies over a point or over the other number", () => {
  for (const width of [342, 660]) {
    const g = geometry(width);
    const { card, answer } = STATE;
    const x = linear([card.low, card.high], [g.axisLeft, g.axisRight]);
    for (let one = 0; one <= 16; one += 0.5)
      for (let two = 0; two <= 16; two += 0.5) {
        const curves = [one, two].map((value) => ({
          ...{ share: [], low: [], high: [], beyond: "" },
          pse: { value, low: value - 1, high: value + 1 },
        }));
        const view = { card, answer: { ...answer, picture: { ...PICTURE, curves } } };
        const { points } = placeWords(g, x, { ...view, inputs: STATE } as never);
        const [first, second] = points.map(({ box }) => box) as [Box, Box];
        assert.ok(!overlap(first, second), `${width}: ${one} and ${two}`);
        const marks = [one, two].map((at) => around({ x: x(at), y: (g.top + g.bottom) / 2 }, 6));
        for (const mark of marks)
          assert.ok(!overlap(first, mark) && !overlap(second, mark), `${width}: ${one}, ${two}`);
      }
  }
});

test("a narrow chart names both curves", () => {
  const g = geometry(342);
  const { card, answer } = STATE;
  const x = linear([card.low, card.high], [g.axisLeft, g.axisRight]);
  const { names } = placeWords(g, x, { answer, card, inputs: STATE } as never);
  assert.deepEqual(
    names.map(({ curve }) => curve),
    [0, 1],
  );
  assert.ok(names.every(({ box }) => box.left >= g.left && box.right <= g.right));
});

test("shares beside the handle keep clear of words and of each other, the higher one higher", () => {
  const g = geometry(342);
  const y = (g.top + g.bottom) / 2;
  const high = { y, above: true, width: 28 };
  assert.deepEqual(besideHandle(g, 150, [high], []), [{ at: 160, y: y + 14, anchor: "start" }]);
  const taken = boxOf(165, y + 17, 100, "start");
  const low = { y: y + 20, above: false, width: 28 };
  const boxes = besideHandle(g, 150, [high, low], [taken]).map((place) =>
    boxOf(place.at, place.y, 28, place.anchor),
  );
  const [upper, lower] = boxes as [Box, Box];
  assert.ok(!overlap(upper, lower) && upper.top < lower.top);
  assert.ok(boxes.every((box) => !overlap(box, taken)));
});

test("a slice of the page is named for who reads it by ear", async () => {
  const { root } = show();
  await settle();
  assert.match(byId(root, "x-handle")!.getAttribute("aria-valuetext")!, /invited \d+ %/);
  for (const chip of allById(root, "cue-Emily")) assert.ok(chip.getAttribute("aria-label"));
});
