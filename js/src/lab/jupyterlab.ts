import type { Contents } from "./tour";

/** The parts of JupyterLab that the extension uses; JupyterLab brings them when the page loads. */

export interface Signal<S, A> {
  connect(slot: (sender: S, args: A) => void): boolean;
}

/** A node of the page that JupyterLab lays out. */
export interface Widget {
  node: HTMLElement;
  isAttached: boolean;
}

export interface MimeModel {
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
  trusted: boolean;
  setData(options: unknown): void;
}

export interface Renderer extends Widget {
  renderModel(model: MimeModel): Promise<void>;
}

export interface Output {
  output_type: string;
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

interface OutputModel {
  data: Record<string, unknown>;
}

interface Outputs {
  length: number;
  get(index: number): OutputModel;
  set(index: number, output: Output): void;
}

export interface Cell {
  model: { type: string; outputs?: Outputs };
}

export interface Notebook {
  widgets: readonly Cell[];
  activeCellIndex: number;
  rendermime: {
    addFactory(factory: Factory, rank: number): void;
    createRenderer(mimeType: string): Renderer;
  };
}

interface Factory {
  safe: boolean;
  mimeTypes: string[];
  createRenderer(options: unknown): Widget;
}

export interface KernelMessage {
  header: { msg_type: string };
  content: { data?: Record<string, unknown>; metadata?: Record<string, unknown> };
}

export interface NotebookPanel extends Widget {
  content: Notebook;
  sessionContext: {
    hasNoKernel: boolean;
    kernelDisplayStatus: string;
    iopubMessage: Signal<unknown, KernelMessage>;
    statusChanged: Signal<unknown, string>;
    kernelChanged: Signal<unknown, { oldValue: unknown }>;
  };
}

export interface NotebookTracker {
  forEach(call: (panel: NotebookPanel) => void): void;
  widgetAdded: Signal<unknown, NotebookPanel>;
}

export interface Application {
  commands: {
    addCommand(id: string, options: object): void;
    execute(id: string, args?: object): Promise<unknown>;
    hasCommand(id: string): boolean;
  };
  serviceManager: { contents: Contents; serverSettings: { baseUrl: string } };
}

export interface Plugin {
  id: string;
  description: string;
  autoStart: boolean;
  requires?: unknown[];
  optional?: unknown[];
  // biome-ignore lint/suspicious/noExplicitAny: each plugin names the services that it is given
  activate(app: Application, ...services: any[]): void;
}

/** What JupyterLab shares of its own modules, by name and version. */
export type SharedScope = Record<string, Record<string, { get(): Promise<() => unknown> }>>;
