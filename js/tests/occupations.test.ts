import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel, FakePanelModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import scenarios from "../dev/recorded/occupations.json";
import bench from "../src/benches/occupations";
import type { Inputs } from "../src/benches/occupations/store";
import { signed } from "../src/benches/occupations/texts";
import type { Answer, Measure, OccupationsBenchState, Picture } from "../src/generated/occupations";
import type { RenderContext } from "../src/host";
import { allById, byId, settle, until } from "./dom";
import { exportedSvg, type ModelKind, mounted, press } from "./shown";

type Shown = Partial<Inputs & { psychometric: string }>;

const stateOf = recorded<OccupationsBenchState>(scenarios);

interface More {
  scenario?: string;
  answer?: Partial<Answer>;
  Kind?: ModelKind;
  host?: RenderContext["host"];
}

function show(inputs: Shown = {}, { scenario, answer, Kind = FakeModel, host }: More = {}) {
  const state = { ...stateOf(scenario), ...inputs };
  const model = new Kind({ ...state, answer: { ...state.answer, ...answer } });
  return mounted(bench, model, { host });
}

/** The picture of so many words: the rows of the recorded one, again and again. */
function pictureOf(n: number): Picture {
  const picture = stateOf().answer.picture!;
  const again = <T>(values: T[]) => Array.from({ length: n }, (_, i) => values[i % values.length]!);
  const measure = ({ axis, ...columns }: Measure): Measure => ({
    value: again(columns.value),
    low: again(columns.low),
    high: again(columns.high),
    points: again(columns.points),
    axis,
  });
  return {
    ...picture,
    words: again(picture.words).map((word, i) => (picture.words[i] ? word : `occupation ${i}`)),
    outside: again(picture.outside),
    contrasts: picture.contrasts.map((contrast) => ({
      ...contrast,
      pse: measure(contrast.pse),
      jnd: measure(contrast.jnd),
      lean: again(contrast.lean),
      pair_sd: again(contrast.pair_sd),
      reason: again(contrast.reason),
    })),
  };
}

const rows = (root: ParentNode) => allById(root, "row").map((row) => row.dataset.word!);
const list = (root: ParentNode) => byId(root, "rows")!;
function choose(root: ParentNode, id: string, value: string) {
  const select = byId(root, id) as HTMLSelectElement;
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
}

for (const Kind of [FakeModel, FakePanelModel]) {
  test(`the numbers stand on the screen and are told to the reader (${Kind.name})`, async () => {
    const { root, model } = show({}, { Kind });
    await settle();
    const { picture } = model.state.answer as Answer;
    const { pse, lean } = picture!.contrasts[0]!;
    assert.equal(rows(root).length, 30);
    for (const row of allById(root, "row")) {
      const i = Number(row.dataset.index);
      assert.equal(Number(row.dataset.value), pse.value[i]);
      assert.equal(Number(row.dataset.low), pse.low[i]);
      assert.equal(Number(row.dataset.lean), lean[i]);
      assert.ok(row.getAttribute("aria-label")!.startsWith(`${picture!.words[i]} `));
      assert.ok(row.textContent!.includes(String(Math.round(100 * pse.value[i]!)).slice(0, 1)));
    }
    assert.equal(
      Number(byId(root, "pearson")!.dataset.value),
      picture!.agreement_pse!.pearson.value,
    );
    assert.equal(byId(root, "scatter")!.dataset.points, "30");
    assert.match(byId(root, "question")!.textContent!, /Which occupations/);
  });

  test(`sorting, filtering and searching change the rows and Python (${Kind.name})`, async () => {
    const { root, model } = show({}, { Kind });
    await settle();
    choose(root, "sort", "word");
    await settle();
    assert.deepEqual(rows(root), [...rows(root)].sort());
    assert.equal(model.state.sort, "word");
    choose(root, "shown", "group_2");
    await settle();
    assert.ok(allById(root, "row").every((row) => row.dataset.lean === "-1"));
    const search = byId(root, "search") as HTMLInputElement;
    search.value = "zzz";
    search.dispatchEvent(new Event("input", { bubbles: true }));
    await settle();
    assert.deepEqual(rows(root), []);
    assert.match(list(root).textContent!, /No word fits/);
  });
}

test("arrows move inside one Tab stop; the card, the scatter and Python follow", async () => {
  const { root, model } = show();
  await settle();
  const [first, second] = rows(root);
  list(root).focus();
  await settle();
  press(list(root), "ArrowDown");
  await settle();
  const card = byId(root, "card")!;
  assert.match(card.textContent!, new RegExp(`^${second}`));
  const active = list(root).getAttribute("aria-activedescendant")!;
  assert.equal(root.getElementById(active)!.dataset.word, second);
  assert.match(root.querySelector(".hovered-point")!.textContent!, new RegExp(second!));
  press(list(root), " ");
  await settle();
  assert.equal(model.state.word, second);
  assert.ok(byId(root, "open-word"), "a held card has its button");
  press(list(root), "Home");
  await settle();
  assert.match(byId(root, "card")!.textContent!, new RegExp(`^${first}`));
  const { generation } = model.state;
  model.receive({ answer: { ...stateOf().answer, generation } });
  press(list(root), "Escape");
  await settle();
  assert.equal(byId(root, "open-word"), null);
  await until("Python knows", () => model.state.word === "");
});

test("in the served app a word has a link to the psychometric bench with the pairs of its contrast", async () => {
  const { root } = show();
  await settle();
  const row = allById(root, "row")[3]!;
  row.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
  await settle();
  const link = byId(root, "open-word") as HTMLAnchorElement;
  const address = new URL(link.getAttribute("href")!, "http://localhost/occupations");
  assert.equal(address.pathname, "/psychometric");
  assert.equal(address.searchParams.get("word"), row.dataset.word);
  assert.equal(address.searchParams.get("subject"), stateOf().subject);
  assert.equal(address.searchParams.getAll("pairs")[1], "woman/man");
  assert.equal(address.searchParams.getAll("selected_pairs")[1], "1");
});

test("in a notebook the psychometric bench's widget opens below, and goes again", async () => {
  const shown: string[] = [];
  let aborted = false;
  const host = {
    getWidget: async (ref: string) => ({
      render: async ({ el, signal }: { el: HTMLElement; signal: AbortSignal }) => {
        shown.push(ref);
        el.textContent = "the psychometric bench";
        signal.addEventListener("abort", () => {
          aborted = true;
        });
      },
    }),
  };
  const { root, model } = show({ psychometric: "" }, { host });
  await settle();
  list(root).focus();
  await settle();
  press(list(root), "Enter");
  const command = model.state.command as { id: number; name: string; args: { word: string } };
  assert.equal(command.name, "open");
  assert.equal(command.args.word, rows(root)[0]);
  model.receive({ psychometric: "IPY_MODEL_abc" });
  model.receive({ reply: { id: command.id, ok: true, message: "Open." } });
  await until("the psychometric bench is shown", () => shown.length === 1);
  assert.deepEqual(shown, ["anywidget:abc"]);
  assert.match(byId(root, "opened")!.textContent!, /the psychometric bench/);
  byId(root, "close-opened")!.click();
  await until("it is gone", () => aborted && byId(root, "opened") === null);
});

test("a word that cannot be opened says why, and nothing opens", async () => {
  const { root, model } = show({ psychometric: "" });
  await settle();
  list(root).focus();
  await settle();
  press(list(root), "Enter");
  const { id } = model.state.command as { id: number };
  model.receive({ reply: { id, ok: false, message: "It is not among the words." } });
  await until("the reason is shown", () => /not among/.test(byId(root, "notice")!.textContent!));
  assert.equal(byId(root, "opened"), null);
});

test("JND has its own axis, table and numbers", async () => {
  const { root, model } = show();
  await settle();
  byId(root, "measure-jnd")!.click();
  await settle();
  assert.equal(model.state.measure, "jnd");
  const { picture } = model.state.answer as Answer;
  const [row] = allById(root, "row");
  assert.equal(
    Number(row!.dataset.value),
    picture!.contrasts[0]!.jnd.value[Number(row!.dataset.index)],
  );
  assert.match(byId(root, "scatter")!.getAttribute("aria-label")!, /JND .* √\(p\(1 − p\)\)/);
  assert.doesNotMatch(root.querySelector(".head-drawing")!.textContent!, /neutral/);
});

test("three groups side by side, with who is first; or one contrast with its own colours", async () => {
  const { root } = show({}, { scenario: "three groups" });
  await settle();
  const head = () => root.querySelector(".head-drawing")!.textContent!;
  assert.match(head(), /Christ.*Jewish.*Muslim.*Jewish.*Muslim.*Christ/);
  assert.equal(allById(root, "ranking").length, 30);
  const { ranking } = stateOf("three groups").answer.picture!;
  assert.equal(byId(root, "ranking-caveat")!.textContent, ranking!.caveat);
  choose(root, "contrast", "1");
  await settle();
  assert.match(head(), /leans Muslim.*leans Jewish/);
  assert.equal(allById(root, "ranking").length, 0);
});

test("the comparison prints signed values and the gap to WEAT", async () => {
  const { root, model } = show({}, { scenario: "comparison" });
  await settle();
  const { comparison } = (model.state.answer as Answer).picture!;
  const shown = allById(root, "measure-row");
  assert.deepEqual(
    shown.map((row) => Number(row.dataset.value)),
    comparison!.rows.map((row) => row.pearson.value),
  );
  const { pearson, gap } = comparison!.rows[0]!;
  assert.ok(shown[0]!.textContent!.includes(signed(pearson.value)));
  assert.ok(shown[0]!.textContent!.includes(`gap to WEAT ${signed(gap)}`));
  const weat = comparison!.rows.findIndex((row) => row.gap === 0);
  assert.match(shown[weat]!.textContent!, /^WEAT/);
  assert.doesNotMatch(shown[weat]!.textContent!, /gap/);
  assert.match(byId(root, "comparison-verdict")!.textContent!, /WEAT/);
});

test("without outside numbers both views say what to do", async () => {
  const { root } = show({}, { scenario: "no outside table" });
  await settle();
  assert.match(byId(root, "agreement-reason")!.textContent!, /Choose a table/);
  byId(root, "beside-comparison")!.click();
  await settle();
  assert.match(byId(root, "comparison-missing")!.textContent!, /Choose a table/);
});

test("an own table is sent as text; what is wrong with it stands where it was chosen", async () => {
  const { root, model } = show();
  await settle();
  const give = async (name: string, bytes: Uint8Array<ArrayBuffer> | string) => {
    const input = byId(root, "own-table-file") as HTMLInputElement;
    Object.defineProperty(input, "files", { value: [new File([bytes], name)], configurable: true });
    input.dispatchEvent(new Event("change", { bubbles: true }));
    await settle();
  };
  await give("mine.csv", "word,percent\nnurse,12\n");
  await until("it is sent", () => (model.state.command as { name: string }).name === "load-table");
  const { id, args } = model.state.command as { id: number; args: Record<string, string> };
  assert.deepEqual(args, { name: "mine.csv", text: "word,percent\nnurse,12\n" });
  model.receive({ reply: { id, ok: false, message: "No column of numbers. Columns: word." } });
  await until("the problem is shown", () => byId(root, "table-problem") !== null);
  assert.match(byId(root, "table-problem")!.textContent!, /Columns: word/);
  await give("mine.xlsx", new Uint8Array([0xff, 0xfe, 0x00]));
  await until("it is refused here", () => /UTF-8/.test(byId(root, "table-problem")!.textContent!));
});

test("an error keeps the picture in grey, and the inputs", async () => {
  const message = {
    title: "The lists have 8 and 7 cues",
    text: "Add a cue, or use all combinations.",
    actions: [{ label: "Use all combinations", set: { pairing: "all" } }],
  };
  const { root, model } = show({}, { answer: { state: "error", message } });
  await settle();
  assert.ok(root.querySelector(".rows.stale") && byId(root, "against")!.matches(".stale"));
  assert.equal(rows(root).length, 30);
  assert.equal((byId(root, "export-csv") as HTMLButtonElement).disabled, true);
  allById(root, "message-action")[0]!.click();
  assert.equal(model.state.pairing, "all");
});

test("the neutral value is labelled before any data", async () => {
  const { root } = show({}, { answer: { state: "loading", picture: null } });
  await settle();
  assert.match(root.querySelector(".head-drawing")!.textContent!, /neutral 50 %/);
  assert.match(root.querySelector(".foot-drawing")!.textContent!, /50/);
});

test("one embedding and one pair: values without intervals, told as such", async () => {
  const { root } = show({}, { scenario: "one embedding" });
  await settle();
  assert.equal(byId(root, "bench")!.dataset.state, "cannot-say");
  assert.match(byId(root, "message-title")!.textContent!, /no intervals/);
  const [row] = allById(root, "row");
  assert.equal(row!.dataset.low, undefined);
  assert.match(row!.getAttribute("aria-label")!, /no interval$/);
  assert.match(byId(root, "legend")!.textContent!, /no interval/);
});

test("HTML in words, groups and tables is text", async () => {
  const { words, groups } = stateOf("HTML in words");
  const [evil] = words;
  assert.match(evil! + groups[1]!.name, /<img .*<b>/);
  const { root } = show({ word: evil }, { scenario: "HTML in words" });
  await settle();
  list(root).focus();
  await settle();
  byId(root, "groups")!.click();
  await settle();
  assert.equal(root.querySelectorAll("img, b b, script").length, 0);
  assert.ok(rows(root).includes(evil!) && rows(root).includes("אחות"));
});

test("five thousand words: a few dozen rows are made, all are counted", async () => {
  const { root } = show({}, { answer: { picture: pictureOf(5000) } });
  await settle();
  assert.equal(list(root).dataset.count, "5000");
  assert.ok(rows(root).length < 80);
  list(root).focus();
  await settle();
  press(list(root), "End");
  await settle();
  const last = allById(root, "row").at(-1)!;
  assert.equal(last.getAttribute("aria-posinset"), "5000");
  assert.equal(last.getAttribute("aria-setsize"), "5000");
});

test("what is taken along holds all rows, also those out of sight", async () => {
  const { root } = show({}, { answer: { picture: pictureOf(100) } });
  await settle();
  const [name, svg] = await exportedSvg(root);
  assert.equal(name, "occupations-female-male.svg");
  for (const word of ["nurse", "occupation 99"]) assert.ok(svg.includes(`>${word}<`), word);
  assert.match(svg, /Which occupations/);
  assert.equal(root.querySelector(".whole-figure")!.childElementCount, 0);
});
