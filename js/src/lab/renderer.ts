/** An output that shows a bench: its live view, or its last picture where the view is gone. */
import type { MimeModel, Renderer } from "./jupyterlab";
import { goneNotice } from "./notice";
import { benchIn, PICTURE, type ShownBench, VIEW } from "./records";

/** A view that has not come after so many milliseconds is stood in for by the picture. */
const SOON_MS = 700;

interface Place {
  /** Called before a bench is shown that was not shown here before. */
  onBench(bench: ShownBench): void;
  hasNoKernel(): boolean;
  runAgain(id: string): void;
}

/**
 * Makes ipywidgets' renderer of a view keep the view when its output is updated.
 *
 * It stays ipywidgets' own renderer, because ipywidgets looks for those in the outputs of a notebook
 * and gives them the widgets of a kernel when there is one.
 */
export function keepingItsView(renderer: Renderer, place: Place): Renderer {
  const { node } = renderer;
  const show = renderer.renderModel.bind(renderer);
  const picture = document.createElement("section");
  picture.dataset.testid = "last-picture";
  let shown: ShownBench | null = null;
  /** The same bench as its output says it now. */
  let latest: ShownBench | null = null;

  /** Puts the picture where there is no view; says so where none will come. */
  const standIn = (isGone: boolean) => {
    if (shown === null || (node.firstElementChild && node.firstElementChild !== picture)) return;
    picture.querySelector("header")?.remove();
    if (isGone) {
      const { id } = shown;
      picture.prepend(goneNotice(latest, () => place.runAgain(id)));
    }
    node.replaceChildren(picture);
  };

  renderer.renderModel = async (model: MimeModel) => {
    const bench = benchIn(model.data);
    if (bench !== null) {
      latest = bench;
      picture.replaceChildren(...picture.querySelectorAll("header"), image(model));
      if (bench.id === shown?.id) return;
      shown = bench;
      place.onBench(bench);
    }
    setTimeout(() => standIn(place.hasNoKernel()), SOON_MS);
    // A copy: ipywidgets writes into the data when it takes a view away.
    const data = { [VIEW]: { ...(model.data[VIEW] as object) } };
    await show({ data, metadata: {}, trusted: true, setData: () => {} });
    standIn(true);
  };
  return renderer;
}

function image({ data }: MimeModel): HTMLElement {
  const given = data[PICTURE] ?? "";
  const svg = Array.isArray(given) ? given.join("") : String(given);
  const shown = document.createElement("img");
  // As an image no script in it runs, whoever wrote the notebook.
  shown.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  shown.alt = `Last result: ${benchIn(data)?.about ?? ""}`;
  shown.className = "biaslab-last-picture";
  return shown;
}
