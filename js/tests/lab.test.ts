import "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Keeper } from "../src/lab/benches";
import type { Application, Cell, NotebookPanel } from "../src/lab/jupyterlab";
import { BENCH } from "../src/lab/records";
import { Tour } from "../src/lab/tour";

const record = (id: string, change: object = {}) => ({
  [BENCH]: {
    id,
    model_id: id,
    bench: "B",
    kernel: "1",
    made_of: "x",
    about: "",
    settings: { word: id },
    ...change,
  },
});

class FakeCell {
  outputsData: Record<string, unknown>[] = [];
  model = {
    type: "code",
    outputs: {
      owner: this as FakeCell,
      get length() {
        return this.owner.outputsData.length;
      },
      get(i: number) {
        return { data: this.owner.outputsData[i]! };
      },
      set(i: number, output: { data: Record<string, unknown> }) {
        this.owner.outputsData[i] = output.data;
      },
    },
  };
}

/** A notebook of cells, the extension that keeps it, and a way to show an output in it. */
function notebook(cells: FakeCell[]) {
  const ran: string[] = [];
  const slots: Record<string, ((sender: unknown, args: never) => void)[]> = {};
  const signal = (name: string) => ({
    connect: (slot: (sender: unknown, args: never) => void) => {
      slots[name] = [...(slots[name] ?? []), slot];
      return true;
    },
  });
  let time = 1000;
  const app = { commands: { execute: async (id: string) => void ran.push(id) } };
  const keeper = new Keeper(app as unknown as Application, () => time);
  let make: () => { renderModel(model: object): Promise<void> };
  const views: object[] = [];
  const view = () => ({
    node: { firstElementChild: null, replaceChildren() {} },
    renderModel: async (model: object) => void views.push(model),
  });
  const panel = {
    isAttached: true,
    content: {
      widgets: cells,
      activeCellIndex: -1,
      rendermime: {
        addFactory(factory: { createRenderer: typeof make }) {
          make = factory.createRenderer;
        },
        createRenderer: view,
      },
    },
    sessionContext: {
      hasNoKernel: false,
      kernelDisplayStatus: "idle",
      iopubMessage: signal("iopub"),
      statusChanged: signal("status"),
      kernelChanged: signal("kernel"),
    },
  };
  keeper.follow(panel as unknown as NotebookPanel);
  return {
    keeper,
    panel,
    ran,
    views,
    later: (ms: number) => {
      time += ms;
    },
    run: (cell: FakeCell) => keeper.remember(cell as unknown as Cell),
    renderer: () => make(),
    send: (name: string, args: object | string) => {
      for (const slot of slots[name] ?? []) slot(null, args as never);
    },
    async show(cell: FakeCell, data: Record<string, unknown>) {
      cell.outputsData = [data];
      await make().renderModel({ data });
    },
  };
}

test("a cell that is run again in a new kernel gives its bench the last settings", async () => {
  const cell = new FakeCell();
  const { keeper, run, show } = notebook([cell]);
  cell.outputsData = [record("old")];
  run(cell);
  await show(cell, record("new", { kernel: "2" }));
  assert.deepEqual(keeper.settings.get("new"), { word: "old" });
});

test("a bench is patient while its own notebook runs a cell", async () => {
  const cell = new FakeCell();
  const { keeper, panel, show } = notebook([cell]);
  await show(cell, record("mine"));
  panel.sessionContext.kernelDisplayStatus = "busy";
  assert.equal(keeper.isBusy("mine"), true);
  assert.equal(keeper.isBusy("in a box"), true);
  panel.sessionContext.kernelDisplayStatus = "idle";
  assert.equal(keeper.isBusy("mine"), false);
});

test("a run that failed in between forgets nothing", async () => {
  const cell = new FakeCell();
  const { keeper, run, show, later } = notebook([cell]);
  cell.outputsData = [record("old")];
  run(cell);
  cell.outputsData = [];
  later(5000);
  run(cell);
  await show(cell, record("new", { kernel: "2" }));
  assert.deepEqual(keeper.settings.get("new"), { word: "old" });
});

for (const [why, change] of [
  ["in the same kernel", {}],
  ["of changed code", { kernel: "2", made_of: "y" }],
  ["of another kind", { kernel: "2", bench: "C" }],
] as const) {
  test(`a bench ${why} begins with what its cell says`, async () => {
    const cell = new FakeCell();
    const { keeper, run, show } = notebook([cell]);
    cell.outputsData = [record("old")];
    run(cell);
    await show(cell, record("new", change));
    assert.equal(keeper.settings.size, 0);
  });
}

test("a notebook that is run as a whole gives what its cells say", async () => {
  const cells = [new FakeCell(), new FakeCell()];
  const { keeper, run, show } = notebook(cells);
  cells[0]!.outputsData = [record("old")];
  for (const cell of cells) run(cell);
  await show(cells[0]!, record("new", { kernel: "2" }));
  assert.equal(keeper.settings.size, 0);
});

test("an update of an output leaves its view alone", async () => {
  const cell = new FakeCell();
  const { renderer, views } = notebook([cell]);
  const shown = renderer();
  await shown.renderModel({ data: record("one") });
  await shown.renderModel({ data: record("one", { settings: { word: "other" } }) });
  assert.equal(views.length, 1);
  await shown.renderModel({ data: record("two") });
  assert.equal(views.length, 2);
});

test("an output that JupyterLab does not know is updated all the same", async () => {
  const cells = [new FakeCell(), new FakeCell()];
  cells[1]!.outputsData = [record("one")];
  const { send } = notebook(cells);
  const data = record("one", { settings: { word: "teacher" } });
  send("iopub", { header: { msg_type: "update_display_data" }, content: { data } });
  await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual(cells[1]!.outputsData, [data]);
});

test("when a kernel ends its benches hear of it, and those of other notebooks do not", () => {
  const cell = new FakeCell();
  cell.outputsData = [record("one")];
  const { keeper, send } = notebook([cell]);
  const heard: string[] = [];
  const stop = keeper.watch("one", () => heard.push("one"));
  keeper.watch("other", () => heard.push("other"));
  send("status", "busy");
  assert.deepEqual(heard, []);
  send("status", "restarting");
  assert.deepEqual(heard, ["one"]);
  stop();
  send("status", "dead");
  assert.deepEqual(heard, ["one"]);
});

test("the button runs the cell that shows the bench", () => {
  const cells = [new FakeCell(), new FakeCell()];
  cells[1]!.outputsData = [record("one")];
  const { keeper, panel, ran } = notebook(cells);
  keeper.runAgain("one");
  assert.equal(panel.content.activeCellIndex, 1);
  assert.deepEqual(ran, ["notebook:run-cell"]);
});

test("the lessons are copied once, and none that is there is written again", async () => {
  const files: Record<string, unknown> = { "biaslab-lessons/b.ipynb": "answered" };
  const saved: string[] = [];
  const contents = {
    get: async (path: string) => {
      const names = path ? ["b.ipynb"] : ["biaslab-lessons"];
      return { name: path, path, type: "directory", content: names.map((name) => ({ name })) };
    },
    save: async (path: string, { content }: { content?: unknown }) => {
      saved.push(path);
      files[path] = content;
      return { name: path, path, type: "notebook" };
    },
  };
  const listing = { folder: "biaslab-lessons", first: "a.ipynb", names: ["a.ipynb", "b.ipynb"] };
  const read = async (url: string) => (url === "/x/lessons.json" ? listing : url);
  const tour = new Tour(contents, "/x/", read);
  assert.equal(await tour.lay(), "biaslab-lessons/a.ipynb");
  assert.deepEqual(saved, ["biaslab-lessons/a.ipynb"]);
  assert.equal(files["biaslab-lessons/a.ipynb"], "/x/lessons/a.ipynb");
  assert.equal(files["biaslab-lessons/b.ipynb"], "answered");
});
