/** The plugin that keeps benches in notebooks: their views, last pictures and settings. */
import type {
  Application,
  Cell,
  NotebookPanel,
  NotebookTracker,
  Output,
  Plugin,
  Signal,
} from "./jupyterlab";
import { goneNotice } from "./notice";
import { BENCH, benchIn, type ShownBench, VIEW } from "./records";
import { keepingItsView } from "./renderer";

/** Before ipywidgets' own renderer, whose rank is -10. */
const RANK = -20;
/** Cells that are run within so many milliseconds of each other are run by one command. */
const TOGETHER_MS = 300;

/** States of a kernel in which what it held is lost. */
const ENDS = ["restarting", "autorestarting", "terminating", "dead"];

type Shared = <M>(name: string) => Promise<M>;

interface NotebookModule {
  INotebookTracker: unknown;
  NotebookActions: { executionScheduled: Signal<unknown, { cell: Cell }> };
}

/** The picture is drawn for light pages; without colours its shades can be turned round. */
const STYLE = `
.biaslab-last-picture { max-width: 100%; filter: grayscale(1); opacity: .75; }
[data-jp-theme-light="false"] .biaslab-last-picture { filter: grayscale(1) invert(.93); }
`;

export async function benches(shared: Shared): Promise<Plugin> {
  const { INotebookTracker, NotebookActions } =
    await shared<NotebookModule>("@jupyterlab/notebook");
  return {
    id: "biaslab:benches",
    description: "Keeps the last picture and the settings of benches in notebooks.",
    autoStart: true,
    requires: [INotebookTracker],
    activate(app: Application, tracker: NotebookTracker) {
      const keeper = new Keeper(app);
      globalThis.biaslabLab = keeper;
      const style = document.createElement("style");
      style.textContent = STYLE;
      document.head.append(style);
      NotebookActions.executionScheduled.connect((_, { cell }) => keeper.remember(cell));
      const follow = (panel: NotebookPanel) => keeper.follow(panel);
      tracker.forEach(follow);
      tracker.widgetAdded.connect((_, panel) => follow(panel));
    },
  };
}

export class Keeper {
  readonly settings = new Map<string, Record<string, unknown>>();
  readonly #panels = new Set<NotebookPanel>();
  readonly #before = new WeakMap<Cell["model"], ShownBench[]>();
  readonly #watchers = new Set<{ id: string; onGone: () => void }>();
  #run: Cell["model"][] = [];
  #ranAt = 0;

  constructor(
    private readonly app: Application,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Runs the cell again that shows a bench. */
  runAgain(id: string): void {
    for (const { content } of this.#open()) {
      const at = content.widgets.findIndex((cell) => shown(cell).some((one) => one.id === id));
      if (at < 0) continue;
      content.activeCellIndex = at;
      void this.app.commands.execute("notebook:run-cell");
      return;
    }
  }

  watch(id: string, onGone: () => void): () => void {
    const watcher = { id, onGone };
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  isBusy(id: string): boolean {
    const has = ({ content }: NotebookPanel) =>
      content.widgets.some((cell) => shown(cell).some((one) => one.id === id));
    const panels = this.#open();
    const own = panels.filter(has);
    // A bench in a box has no record of its own in the output.
    return (own.length > 0 ? own : panels).some(
      ({ sessionContext }) => sessionContext.kernelDisplayStatus === "busy",
    );
  }

  dress(notice: HTMLElement, id: string): void {
    notice.replaceChildren(goneNotice(this.#latest(id), () => this.runAgain(id)));
  }

  /** Keeps the settings of benches whose cell is run again by itself. */
  remember(cell: Cell): void {
    const now = this.now();
    if (now - this.#ranAt > TOGETHER_MS) this.#run = [];
    this.#ranAt = now;
    this.#run.push(cell.model);
    const benches = shown(cell);
    // A run that failed leaves none, and the next one may bring them back.
    if (benches.length > 0) this.#before.set(cell.model, benches);
    // A notebook that is run as a whole gives what its cells say.
    if (this.#run.length > 1) for (const model of this.#run) this.#before.delete(model);
  }

  follow(panel: NotebookPanel): void {
    this.#panels.add(panel);
    const { rendermime } = panel.content;
    const place = {
      onBench: (bench: ShownBench) => this.#bringBack(panel, bench),
      hasNoKernel: () => panel.sessionContext.hasNoKernel,
      runAgain: (id: string) => this.runAgain(id),
    };
    const createRenderer = () => keepingItsView(rendermime.createRenderer(VIEW), place);
    rendermime.addFactory({ safe: true, mimeTypes: [BENCH], createRenderer }, RANK);
    panel.sessionContext.statusChanged.connect((_, status) => {
      if (ENDS.includes(status)) this.#end(panel);
    });
    panel.sessionContext.kernelChanged.connect((_, { oldValue }) => {
      if (oldValue) this.#end(panel);
    });
    panel.sessionContext.iopubMessage.connect((_, { header, content }) => {
      if (header.msg_type !== "update_display_data" || !content.data) return;
      const { data, metadata = {} } = content;
      const bench = benchIn(data);
      // JupyterLab updates outputs that it has seen made, and no others after a reload.
      if (bench !== null) setTimeout(() => this.#renew(panel, bench, { data, metadata }));
    });
  }

  /** Hands a new bench the settings of the one that its cell showed before a restart. */
  #bringBack(panel: NotebookPanel, bench: ShownBench): void {
    const cell = panel.content.widgets.find((c) => shown(c).some((one) => one.id === bench.id));
    const last = (cell && this.#before.get(cell.model))?.find(
      (one) =>
        one.bench === bench.bench && one.made_of === bench.made_of && one.kernel !== bench.kernel,
    );
    if (last) this.settings.set(bench.id, last.settings);
  }

  /** Lets the benches of a notebook know that their kernel is gone. */
  #end(panel: NotebookPanel): void {
    const ids = new Set(panel.content.widgets.flatMap(shown).map((one) => one.id));
    for (const { id, onGone } of [...this.#watchers]) if (ids.has(id)) onGone();
  }

  #latest(id: string): ShownBench | null {
    const cells = this.#open().flatMap((panel) => [...panel.content.widgets]);
    return cells.flatMap(shown).find((one) => one.id === id) ?? null;
  }

  #renew(panel: NotebookPanel, bench: ShownBench, made: Omit<Output, "output_type">): void {
    const text = JSON.stringify(made.data);
    for (const { model } of panel.content.widgets) {
      for (let i = 0; i < (model.outputs?.length ?? 0); i++) {
        const { data } = model.outputs!.get(i);
        if (benchIn(data)?.id !== bench.id || JSON.stringify(data) === text) continue;
        model.outputs!.set(i, { output_type: "display_data", ...made });
      }
    }
  }

  #open(): NotebookPanel[] {
    return [...this.#panels].filter((panel) => panel.isAttached);
  }
}

/** The benches in the outputs of a cell. */
function shown({ model: { outputs } }: Cell): ShownBench[] {
  const benches = [];
  for (let i = 0; i < (outputs?.length ?? 0); i++) benches.push(benchIn(outputs!.get(i).data));
  return benches.filter((one) => one !== null);
}
