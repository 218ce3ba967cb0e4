/**
 * One face for the two hosts of a component: anywidget (notebooks) and Panel (served app).
 *
 * Panel's adapter listens to one `change:name` at a time, has no custom messages in `initialize`,
 * and must be given a clean-up function; a view can be rendered twice into the same element.
 * Components see none of this.
 */
import type { HostModel, RenderContext } from "./hostModel";
import { registry } from "./lab/registry";
import { keepKeys } from "./lib/ownkeys";
import { type Theme, watchTheme } from "./lib/theme";
import { bringSettingsBack, watchKernel } from "./notebook";
import { Outputs, unpacked } from "./outputs";

export type { HostModel, RenderContext } from "./hostModel";

export class Host<S extends object> {
  /** Called when nobody can answer any more, or not for now. */
  onGone: () => void = () => {};
  /** Called when somebody answers again. */
  onBack: () => void = () => {};

  readonly #outputs: Outputs | null;

  constructor(
    private readonly model: HostModel,
    private readonly widgets?: RenderContext["host"],
  ) {
    this.#outputs = Outputs.of(model);
  }

  get<K extends keyof S & string>(name: K): S[K] | undefined {
    const first = unpacked(this.model.get(name) ?? undefined);
    const value = this.#outputs ? this.#outputs.get(name, first) : first;
    return (value ?? undefined) as S[K] | undefined;
  }

  /** Whether Python is at work on something else, and answers afterwards. */
  isBusy(): boolean {
    const id = this.model.get("_shown_as");
    return typeof id === "string" && registry()?.isBusy(id) === true;
  }

  /** Takes what Python sends from now on; returns how to stop that. */
  follow(): () => void {
    return this.#outputs?.follow(this.model) ?? (() => {});
  }

  /**
   * Sets fields and sends them as one message.
   *
   * Panel's adapter would send a message per field, and Python would answer the first of them, for
   * nothing, before it read the next; the Bokeh model behind it takes all at once.
   */
  save(changes: Partial<S>): void {
    // The served app keeps the settings in the page's address.
    globalThis.document?.dispatchEvent(new CustomEvent("biaslab:inputs", { detail: changes }));
    const data = this.model.model?.data;
    if (data) {
      data.setv(changes);
      return;
    }
    for (const [name, value] of Object.entries(changes)) this.model.set(name, value);
    try {
      this.model.save_changes();
    } catch (error) {
      // A pointer or the focus may leave a widget that its kernel has closed: nobody is there.
      if (!/no comm channel/i.test(String(error))) throw error;
    }
  }

  /** Calls back when any of the fields changes; returns how to stop that. */
  on(names: readonly (keyof S & string)[], call: (name: string) => void): () => void {
    const watched = names.map((name) => [`change:${name}`, () => call(name)] as const);
    for (const [event, listener] of watched) this.model.on(event, listener);
    const outputs = this.#outputs;
    const stops = outputs ? names.map((name) => outputs.on(name, () => call(name))) : [];
    return () => {
      for (const [event, listener] of watched) this.model.off(event, listener);
      for (const stop of stops) stop();
    };
  }

  /**
   * Shows another widget of the notebook in an element; returns how to take it away.
   *
   * @param ref - Its id, as ipywidgets writes it: `IPY_MODEL_...`.
   */
  async child(ref: string, el: HTMLElement): Promise<() => void> {
    const id = ref.replace(/^(IPY_MODEL_|anywidget:)/, "");
    if (this.widgets) {
      const widget = await this.widgets.getWidget(`anywidget:${id}`);
      const shown = new AbortController();
      await widget.render({ el, signal: shown.signal });
      return () => shown.abort();
    }
    const manager = this.model.widget_manager;
    if (!manager) throw new Error("This place cannot show one widget inside another.");
    const view = await manager.create_view(await manager.get_model(id));
    const tell = (type: string) => view.luminoWidget?.processMessage({ type });
    tell("before-attach");
    el.replaceChildren(view.el);
    tell("after-attach");
    return () => {
      tell("before-detach");
      view.remove();
    };
  }
}

export interface Mount<S extends object> {
  host: Host<S>;
  /** Inside an own shadow root: styles leak neither in nor out. */
  root: HTMLElement;
  /** Calls back with the theme, now and on each change. */
  onTheme(call: (theme: Theme) => void): () => void;
}

/** What the served app says of its connection. */
const CONNECTION = ["biaslab:lost", "biaslab:back"];

const cleanUps = new WeakMap<HTMLElement, () => void>();

/** Makes the module that both hosts import. */
export function component<S extends object>(css: string, mount: (at: Mount<S>) => () => void) {
  return {
    render({ model, el, host }: RenderContext): () => void {
      cleanUps.get(el)?.();
      const shadow = el.shadowRoot ?? el.attachShadow({ mode: "open" });
      const style = document.createElement("style");
      style.textContent = css;
      const root = document.createElement("div");
      shadow.replaceChildren(style, root);
      keepKeys(root);
      // In a flex row of widgets the bench takes its share and can shrink.
      Object.assign(el.style, { display: "block", width: "100%", minWidth: "0" });

      bringSettingsBack(model);
      const own = new Host<S>(model, host);
      const unmount = mount({ host: own, root, onTheme: (call) => watchTheme(el, call) });
      const unfollow = own.follow();
      // The served app shows a frame in the bench's place until now.
      document.dispatchEvent(new CustomEvent("biaslab:shown"));
      const unwatch = watchKernel(model, el, root, () => own.onGone());
      const follow = ({ type }: Event) => (type === "biaslab:lost" ? own.onGone() : own.onBack());
      for (const event of CONNECTION) document.addEventListener(event, follow);
      let cleaned = false;
      const cleanUp = () => {
        if (cleaned) return;
        cleaned = true;
        cleanUps.delete(el);
        unwatch();
        unfollow();
        for (const event of CONNECTION) document.removeEventListener(event, follow);
        unmount();
        shadow.replaceChildren();
      };
      cleanUps.set(el, cleanUp);
      return cleanUp;
    },
  };
}
