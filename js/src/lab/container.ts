/**
 * The extension of JupyterLab, as JupyterLab loads it: a container of module federation.
 *
 * JupyterLab hands its own modules to `init`, among them the tokens of the services that a plugin
 * asks for, and takes the plugins from `get`.
 */
import { benches } from "./benches";
import type { Plugin, SharedScope } from "./jupyterlab";
import { menus } from "./menus";

declare global {
  interface Window {
    _JUPYTERLAB?: Record<string, object>;
  }
}

/** The folder of the extension: the script lies in `static/` in it. */
const home = new URL("..", (document.currentScript as HTMLScriptElement | null)?.src).href;
let scope: SharedScope = {};

/** A module of JupyterLab's. */
async function shared<M>(name: string): Promise<M> {
  const versions = Object.values(scope[name] ?? {});
  if (versions.length === 0) throw new Error(`JupyterLab shares no module ${name}.`);
  return (await versions.at(-1)!.get())() as M;
}

async function plugins(): Promise<Plugin[]> {
  return [await benches(shared), await menus(shared, home)];
}

window._JUPYTERLAB ??= {};
window._JUPYTERLAB.biaslab = {
  init(given: SharedScope) {
    scope = given;
  },
  async get() {
    const made = await plugins();
    return () => ({ __esModule: true, default: made });
  },
};
