/** What a bench does in a notebook besides its own work: settings brought back, the kernel gone. */
import type { HostModel as Model } from "./hostModel";
import { registry } from "./lab/registry";

/** ipywidgets puts this on the element of a view whose kernel does not answer any more. */
const GONE = ".jupyter-widgets-disconnected";

/** Takes over the settings of the bench that the same cell showed before a restart. */
export function bringSettingsBack(model: Model): void {
  const id = model.get("_shown_as");
  if (typeof id !== "string" || id === "") return;
  const lab = registry();
  const settings = lab?.settings.get(id);
  lab?.settings.delete(id);
  for (const [name, value] of Object.entries(settings ?? {})) {
    if (model.get(name) !== undefined) model.set(name, value);
  }
  // Python updates a view's output only where that leaves the view alone.
  model.set("_place", lab ? "lab" : "other");
  model.save_changes();
}

/**
 * Says when the kernel is gone, greys what is left and takes its controls away.
 *
 * @param onGone - Called then, once.
 * @returns How to stop watching.
 */
export function watchKernel(
  model: Model,
  el: HTMLElement,
  root: HTMLElement,
  onGone: () => void,
): () => void {
  const id = model.get("_shown_as");
  if (typeof id !== "string") return () => {}; // the served app
  const end = () => {
    if (root.inert) return;
    onGone();
    root.inert = true;
    Object.assign(root.style, { filter: "grayscale(1)", opacity: ".6" });
    root.before(notice(id));
  };
  const look = () => {
    if (el.closest(GONE)) end();
  };
  const unwatch = registry()?.watch(id, end);
  // The class follows the event, and the element is put into the page after it is rendered.
  const later = () => setTimeout(look);
  model.on("comm_live_update", later);
  const first = later();
  return () => {
    clearTimeout(first);
    unwatch?.();
    model.off("comm_live_update", later);
  };
}

function notice(id: string): HTMLElement {
  const section = document.createElement("section");
  section.setAttribute("role", "status");
  section.textContent =
    "The kernel is gone; this is the last result. Run this cell again to go on.";
  registry()?.dress(section, id);
  return section;
}
