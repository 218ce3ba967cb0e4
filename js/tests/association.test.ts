import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel, FakePanelModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/association.json";
import bench from "../src/benches/association";
import type { Inputs } from "../src/benches/association/store";
import type { Answer, AssociationBenchState, Picture } from "../src/generated/association";
import type { WordList } from "../src/generated/shared";
import { allById, byId, settle, until } from "./dom";
import { exportedSvg, type ModelKind, mounted, press } from "./shown";

const stateOf = recorded<AssociationBenchState>(scenarios);

interface More {
  scenario?: string;
  answer?: Partial<Answer>;
  picture?: Partial<Picture>;
  Kind?: ModelKind;
}

/** A bench over a model that answers as in a scenario, when it is told to. */
function show(
  inputs: Partial<Inputs> = {},
  { scenario, answer, picture, Kind = FakeModel }: More = {},
) {
  const state = { ...stateOf(scenario), ...inputs };
  const made: Answer = { ...state.answer, ...answer };
  if (picture && made.picture) made.picture = { ...made.picture, ...picture };
  const model = new Kind({ ...state, answer: made });
  const { close, root } = mounted(bench, model);
  const reply = (next = scenario) => {
    const { generation } = model.state;
    model.receive({ answer: { ...stateOf(next).answer, generation } });
  };
  return { model, close, reply, root };
}

function choose(root: ParentNode, id: string, value: string) {
  const select = byId(root, id) as HTMLSelectElement;
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
}
function pick(root: ParentNode, id: string) {
  const radio = byId(root, id) as HTMLInputElement;
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
}
function type(root: ParentNode, id: string, value: string) {
  const field = byId(root, id) as HTMLInputElement;
  field.value = value;
  field.dispatchEvent(new Event("change", { bubbles: true }));
}
const panel = (root: ParentNode, name: string, side = 0) =>
  allById(root, name).find((node) => node.dataset.side === String(side))!;

/** The distances that a lane's ticks stand at. */
function drawnAt(box: HTMLElement, word: string, connection: string): number[] {
  const lane = box.querySelector(`[data-word="${word}"][data-connection="${connection}"]`)!;
  const [d0, d1] = box.dataset.domain!.split(" ").map(Number) as [number, number];
  const [r0, r1] = box.dataset.range!.split(" ").map(Number) as [number, number];
  return [...lane.getAttribute("d")!.matchAll(/M(-?[\d.]+) /g)].map(
    ([, at]) => d0 + ((Number(at) - r0) / (r1 - r0)) * (d1 - d0),
  );
}

for (const Kind of [FakeModel, FakePanelModel]) {
  test(`points, estimates, contrasts and WEAT are those of the answer (${Kind.name})`, async () => {
    const { root, model } = show({}, { Kind });
    await settle();
    const { picture } = model.state.answer as Answer;
    const side = picture!.before;
    const points = panel(root, "points");
    picture!.protected.forEach(({ word }, w) => {
      side.connections.forEach(({ key }, c) => {
        const drawn = drawnAt(points, word, key);
        const values = side.distances[w]![c]!;
        assert.equal(drawn.length, values.length);
        for (const [i, value] of values.entries()) assert.ok(Math.abs(drawn[i]! - value) < 0.002);
      });
    });
    const estimates = allById(panel(root, "posterior"), "estimate");
    assert.equal(estimates.length, 60);
    const crossed = side.posteriors.find((p) => p.model === "crossed")!;
    for (const node of estimates) {
      const w = picture!.protected.findIndex((p) => p.word === node.dataset.word);
      const c = side.connections.findIndex((k) => k.key === node.dataset.connection);
      const found = crossed.words[w]![c]!;
      assert.deepEqual([node.dataset.value, node.dataset.low, node.dataset.high].map(Number), [
        found.value,
        found.low,
        found.high,
      ]);
    }
    const contrasts = allById(root, "contrast");
    assert.deepEqual([...new Set(contrasts.map((node) => node.dataset.model))].sort(), [
      "crossed",
      "pooled",
    ]);
    for (const node of contrasts) {
      const posterior = side.posteriors.find((p) => p.model === node.dataset.model)!;
      const found = posterior.contrasts.find((c) => c.first === node.dataset.first)!;
      assert.equal(Number(node.dataset.value), found.value);
      assert.equal(Number(node.dataset.low), found.low);
    }
    const weat = byId(root, "weat")!;
    assert.equal(Number(weat.dataset.statistic), side.weat!.statistic);
    assert.equal(Number(weat.dataset.exceed), side.weat!.exceed);
    assert.match(weat.textContent!, new RegExp(`${side.weat!.exceed} of 252 splits`));
    assert.match(byId(root, "effect")!.textContent!, /ceiling 1\.90 with an SD over n − 1/);
  });
}

test("under the verdict stands what the paper's model would have said", async () => {
  const { root } = show();
  await settle();
  const [first, second] = root.querySelectorAll(".verdict p");
  assert.equal((first as HTMLElement).dataset.testid, "verdict");
  assert.equal((second as HTMLElement).dataset.testid, "warning");
  const quiet = show({}, { picture: { warning: [] } });
  await settle();
  assert.equal(byId(quiet.root, "warning"), null);
});

test("each step shows less, says what is lost, and stays in its place", async () => {
  const { root, model, reply } = show();
  await settle();
  const left = [
    () => allById(root, "lane").length,
    () => allById(root, "mean").length,
    () => allById(root, "mac").length,
    () => allById(root, "effect-mark").length,
  ];
  const expected = [60, 60, 4, 1];
  const height = () => panel(root, "points").querySelector("svg")!.getAttribute("height");
  const before = height();
  for (const [i, count] of left.entries()) {
    pick(root, `step-${i + 1}`);
    await until(`step ${i + 1} is drawn`, () => count() === expected[i]);
    assert.equal(model.state.step, i + 1);
    reply();
    await settle();
    for (const [k, other] of left.entries()) if (k !== i) assert.equal(other(), 0);
    assert.equal(height(), before);
    assert.match(byId(root, "points-note")!.textContent!, i === 0 ? /nothing lost/ : /^lost: /);
    assert.equal(allById(panel(root, "posterior"), "estimate").length, 60, "what supports stays");
  }
});

test("means and means of means are the answer's own", async () => {
  const { root, model } = show({ step: 2 });
  await settle();
  const { before, protected: words } = (model.state.answer as Answer).picture!;
  for (const node of allById(root, "mean")) {
    const w = words.findIndex((p) => p.word === node.dataset.word);
    const c = before.connections.findIndex((k) => k.key === node.dataset.connection);
    assert.equal(Number(node.dataset.value), before.means[w]![c]);
  }
});

test("arrows move inside one Tab stop; the readout tells words, list and distance", async () => {
  const { root, model, reply } = show();
  await settle();
  const points = panel(root, "points");
  assert.equal(points.querySelectorAll("[tabindex='0']").length, 0);
  points.focus();
  await settle();
  press(points, "ArrowDown");
  press(points, "ArrowRight");
  await settle();
  const said = byId(root, "readout")!.textContent!;
  assert.match(
    said,
    /^judaism – \w+ \((Christianity|Islam) stereotype, different group\): distance \d\.\d{3}/,
  );
  const active = points.getAttribute("aria-activedescendant")!;
  assert.equal(root.getElementById(active)!.dataset.word, "judaism");
  press(points, " ");
  await settle();
  assert.equal(model.state.word, "judaism");
  reply();
  await settle();
  assert.ok(root.querySelector(".spot.held"), "it stays marked");
  assert.equal(byId(root, "readout")!.textContent, said);
  press(points, "Escape");
  await settle();
  assert.equal(root.querySelector(".spot.held"), null);
  await until("Python knows", () => model.state.word === "");
});

test("the estimates have their keys too", async () => {
  const { root } = show();
  await settle();
  const box = panel(root, "posterior");
  box.focus();
  await settle();
  press(box, "End");
  await settle();
  assert.match(
    byId(root, "readout")!.textContent!,
    /^imam, neutral control: .*HPDI, crossed model$/,
  );
});

test("before and after debiasing stand side by side on the same axes", async () => {
  const { root } = show({}, { scenario: "debiased" });
  await settle();
  const [before, after] = allById(root, "points");
  assert.equal(before!.dataset.domain, after!.dataset.domain);
  assert.notDeepEqual(drawnAt(before!, "jew", "none"), drawnAt(after!, "jew", "none"));
  assert.equal(allById(root, "contrasts").length, 2);
  assert.equal(allById(root, "weat").length, 2);
});

test("why there is nothing after debiasing is said", async () => {
  const picture = { after: null, after_reason: "No pairs." };
  const { root } = show({}, { scenario: "debiased", picture });
  await settle();
  assert.equal(byId(root, "after-reason")!.textContent, "No pairs.");
  assert.equal(allById(root, "points").length, 1);
});

test("a word added to a group refits at once", async () => {
  const { root, model, reply } = show();
  await settle();
  byId(root, "list-groups")!.click();
  await settle();
  const field = allById(root, "add-word")[0] as HTMLInputElement;
  field.value = "kosher";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await settle();
  press(field, "Enter");
  await settle();
  const lists = model.state.lists as WordList[];
  assert.ok(lists[0]!.terms.includes("kosher"));
  assert.equal(lists.length, stateOf().lists.length);
  assert.deepEqual(lists, stateOf("word added").lists);
  reply("word added");
  await settle();
  assert.ok(panel(root, "points").querySelector("[data-word='kosher']"));
  assert.match(byId(root, "list-groups")!.textContent!, /3 groups, 16 words/);
});

test("whose stereotype a list is can be changed", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "list-stereotypes")!.click();
  await settle();
  choose(root, "owner-0", "Islam");
  await settle();
  const list = (model.state.lists as WordList[]).find((l) => l.name === "Judaism stereotype")!;
  assert.deepEqual(list.of, ["Islam"]);
});

test("priors are edited, refused where they cannot be, and go back to the paper's", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "priors")!.click();
  await settle();
  type(root, "prior-noise_scale", "-1");
  await settle();
  assert.equal((model.state.priors as Inputs["priors"]).noise_scale, 1, "nothing changes");
  assert.equal(byId(root, "prior-noise_scale")!.getAttribute("aria-invalid"), "true");
  type(root, "prior-noise_scale", "0.5");
  await settle();
  assert.equal((model.state.priors as Inputs["priors"]).noise_scale, 0.5);
  byId(root, "paper-priors")!.click();
  await settle();
  assert.equal((byId(root, "prior-noise_scale") as HTMLInputElement).value, "1");
});

test("WEAT's groups, ddof and alternative are chosen", async () => {
  const { root, model, reply } = show();
  await settle();
  byId(root, "weat-options")!.click();
  await settle();
  choose(root, "weat-group-1", "Islam");
  await settle();
  assert.deepEqual(model.state.weat_groups, ["Islam", "Christianity"]);
  reply();
  await settle();
  pick(root, "ddof-0");
  await settle();
  assert.equal(model.state.ddof, 0);
});

test("what WEAT cannot compare is said in its place", async () => {
  const { root } = show({}, { scenario: "one group" });
  await settle();
  assert.equal(byId(root, "weat"), null);
  assert.match(byId(root, "weat-reason")!.textContent!, /compares two groups/);
});

test("replicates: one or all, and their spread", async () => {
  const { root, model, reply } = show();
  await settle();
  assert.equal(byId(root, "effect-strip")!.dataset.replicates, "32");
  choose(root, "replicate", "3");
  reply("one replicate");
  await settle();
  assert.equal(model.state.replicate, 3);
  assert.equal(byId(root, "effect-strip")!.dataset.replicates, "1");
  assert.ok(byId(root, "replicate"), "the way back to all stays");
});

test("the simulation has the paper's rows, and takes any other", async () => {
  const { root, model, reply } = show({}, { scenario: "simulation" });
  await settle();
  assert.equal(byId(root, "points"), null);
  byId(root, "paper-row-3")!.click();
  await settle();
  assert.deepEqual(model.state.simulation, {
    means: [0.1, 0, 0, 0.1],
    sd: 0.1,
    words: 2,
    attributes: 5,
    first_words: false,
    seed: 0,
  });
  const rows = Array.from(byId(root, "one-draw")!.querySelectorAll("tbody tr"));
  assert.deepEqual(
    rows.map((row) => row.querySelectorAll(".dot").length),
    [10, 10, 10, 10],
  );
  reply("simulation of the fourth row");
  await settle();
  const drawn = byId(root, "simulated")!;
  assert.match(drawn.textContent!, /the paper’s draw 1\.22/);
  assert.match(drawn.textContent!, /ceiling 1\.73/);
  byId(root, "draw-again")!.click();
  await settle();
  assert.equal(model.state.simulation.seed, 1);
  type(root, "words", "8");
  reply("simulation of eight words");
  await settle();
  assert.doesNotMatch(byId(root, "simulated")!.textContent!, /paper’s draw/);
});

test("NUTS is asked for, and its answer is told", async () => {
  const check = { state: "done" as const, text: "They differ by 0.002.", rhat: 1.001, ess: 4200 };
  const { root, model } = show({}, { picture: { check } });
  await settle();
  assert.match(byId(root, "check")!.textContent!, /0\.002\. R-hat 1\.001, ESS 4,200/);
  byId(root, "nuts")!.click();
  await settle();
  assert.equal((model.state.command as { name: string }).name, "nuts");
});

test("absolute coefficients come with their warning", async () => {
  const { root } = show();
  await settle();
  assert.equal(byId(root, "coefficient-warning"), null);
  byId(root, "coefficients")!.click();
  await settle();
  assert.match(byId(root, "coefficient-warning")!.textContent!, /priors/);
  assert.equal(allById(root, "coefficient").length, 4);
});

test("errors keep the picture, in grey, and all input", async () => {
  const { root, model } = show();
  await settle();
  model.receive({
    answer: {
      ...(model.state.answer as Answer),
      state: "error",
      message: { title: "Islam has one word", text: "Add another.", actions: [] },
    },
  });
  await settle();
  assert.equal(byId(root, "message-title")!.textContent, "Islam has one word");
  assert.equal(allById(root, "lane").length, 60);
  assert.ok(byId(root, "panels")!.classList.contains("stale"));
});

test("before any answer the rows, the axes and 1 are there", async () => {
  const { root } = show({}, { answer: { picture: null, state: "loading" } });
  await settle();
  assert.match(panel(root, "points").textContent!, /unrelated 1\.0.*judaism/s);
  assert.match(panel(root, "posterior").textContent!, /unrelated 1\.0/);
  assert.ok((byId(root, "save-run") as HTMLButtonElement).disabled);
});

test("HTML in words and lists is text", async () => {
  const { root, model } = show({}, { scenario: "HTML in words" });
  assert.match((model.state.lists as WordList[])[0]!.name, /<img/);
  await settle();
  byId(root, "list-groups")!.click();
  await settle();
  panel(root, "points").focus();
  await settle();
  assert.equal(root.querySelectorAll("img, script").length, 0);
  assert.match(byId(root, "readout")!.textContent!, /<img/);
});

test("what is taken along holds all plots", async () => {
  const { root } = show({}, { scenario: "debiased" });
  await settle();
  const [name, svg] = await exportedSvg(root);
  assert.equal(name, "association-religions.svg");
  assert.equal(svg.split(">imam<").length - 1, 4, "points and estimates, before and after");
  for (const text of ["none − associated", "252 splits", "Does each word"])
    assert.ok(svg.includes(text), text);
});
