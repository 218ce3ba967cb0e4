/** What the two hosts hand to a component. */

/** What both hosts pass as `model`. */
export interface HostModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, call: () => void): void;
  off(event: string, call: () => void): void;
  /** What Panel's adapter wraps: the Bokeh model whose `data` holds the fields. */
  model?: { data?: { setv(changes: Record<string, unknown>): void } };
  /** Notebooks: where the models of other widgets are found. */
  widget_manager?: WidgetManager;
}

export interface RenderContext {
  model: HostModel;
  el: HTMLElement;
  /** anywidget 0.11 and newer: renders another widget into an element. */
  host?: { getWidget(ref: string): Promise<ChildWidget> };
}

export interface ChildWidget {
  render(at: { el: HTMLElement; signal: AbortSignal }): Promise<void>;
}

/** The parts of ipywidgets' manager and views that show a widget inside another. */
export interface WidgetManager {
  get_model(id: string): Promise<object>;
  create_view(model: object): Promise<ChildView>;
}

export interface ChildView {
  el: HTMLElement;
  remove(): void;
  luminoWidget?: { processMessage(message: { type: string }): void };
}
