/** The plugin of the Help menu, the launcher and the palette: the tour, and the app. */
import type { Application, Plugin } from "./jupyterlab";
import { Tour } from "./tour";

const TOUR = "biaslab:open-tour";
const APP = "biaslab:open-app";
/** The command of jupyter-server-proxy that shows a server in a tab of JupyterLab. */
const PROXY = "server-proxy:open";

type Shared = <M>(name: string) => Promise<M>;

interface Menu {
  helpMenu: { addGroup(items: { command: string }[], rank: number): void };
}

interface Adds {
  add?(item: { command: string; category: string; rank: number }): void;
  addItem?(item: { command: string; category: string }): void;
}

type ShowError = (title: string, error: string) => Promise<void>;

/** @param home - Address of the extension's own folder. */
export async function menus(shared: Shared, home: string): Promise<Plugin> {
  // Jupyter Notebook has no launcher.
  const token = async (module: string, name: string) =>
    shared<Record<string, unknown>>(module).then(
      (found) => found[name],
      () => undefined,
    );
  const IMainMenu = await token("@jupyterlab/mainmenu", "IMainMenu");
  const ILauncher = await token("@jupyterlab/launcher", "ILauncher");
  const { ICommandPalette, showErrorMessage } = await shared<{
    ICommandPalette: unknown;
    showErrorMessage: ShowError;
  }>("@jupyterlab/apputils");
  const icon = await token("@jupyterlab/ui-components", "notebookIcon");
  return {
    id: "biaslab:menus",
    description: "Opens the lessons and the app of biaslab.",
    autoStart: true,
    optional: [ICommandPalette, IMainMenu, ILauncher].filter(Boolean),
    activate(app: Application, palette: Adds | null, menu?: Menu | null, launcher?: Adds | null) {
      const { commands } = app;
      const tour = new Tour(app.serviceManager.contents, home);
      commands.addCommand(TOUR, {
        label: "biaslab: lessons",
        caption: "Copy the lessons into your folder and open their index",
        icon: (args: { isPalette?: boolean }) => (args.isPalette ? undefined : icon),
        execute: async () => {
          try {
            await commands.execute("docmanager:open", { path: await tour.lay() });
          } catch (error) {
            await showErrorMessage("The lessons could not be opened", String(error));
          }
        },
      });
      commands.addCommand(APP, {
        label: "biaslab: app",
        caption: "Open the benches as an app in a tab",
        execute: async () => {
          if (!commands.hasCommand(PROXY)) {
            await showErrorMessage(
              "The app needs jupyter-server-proxy",
              "Install it with: pip install 'biaslab[lab]', and start JupyterLab again.",
            );
            return;
          }
          const url = new URL("biaslab/", new URL(app.serviceManager.serverSettings.baseUrl)).href;
          await commands.execute(PROXY, {
            id: "biaslab",
            title: "biaslab",
            url,
            newBrowserTab: false,
          });
        },
      });
      const items = [{ command: TOUR }, { command: APP }];
      menu?.helpMenu.addGroup(items, 0);
      // The tile of the app is jupyter-server-proxy's.
      launcher?.add?.({ command: TOUR, category: "Notebook", rank: 10 });
      for (const { command } of items) palette?.addItem?.({ command, category: "biaslab" });
    },
  };
}
