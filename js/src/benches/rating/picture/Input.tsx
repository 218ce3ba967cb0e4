import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { points } from "../../../lib/format";
import { useWidth } from "../../../lib/hooks";
import { chosenLanguage, isPredicted, runOf, type Store, type View } from "../store";
import { kindText, sharesText } from "../texts";
import { MOST_WIDTH } from "./corners";
import { blockName, rowsOf } from "./rows";
import { ShareBars } from "./ShareBars";
import { Triangle } from "./Triangle";

interface Props {
  store: Store;
  view: View;
  values: readonly string[];
}

/** What goes in, under the hand; below it, in words, what the hand is on or what it can do. */
export function Input({ store, view, values }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const width = Math.min(useWidth(place, MOST_WIDTH), MOST_WIDTH);
  const three = values.length === 3;
  return (
    <section class="input-part" aria-label="Input and output">
      <h2 class="part-title">
        {three ? "Drag the input; arrows lead to the output" : "Drag the input; output below it"}
      </h2>
      <div ref={place} class="input-drawing">
        {values.length < 2 ? null : three ? (
          <Triangle store={store} view={view} values={values} width={width} />
        ) : (
          <ShareBars store={store} view={view} values={values} width={width} />
        )}
      </div>
      <div class="dock spread ink2 t11">
        <p data-testid="input-dock">{pointedText(view, values) ?? hintText(view, three)}</p>
        <AsRun store={store} view={view} />
      </div>
    </section>
  );
}

/** What the hand can do here, and what its doing means. */
function hintText(view: View, three: boolean): string {
  const taken = three ? "a point" : "an edge";
  if (isPredicted(view)) return "Predicted from the kept answers: run again to be sure.";
  if (runOf(view).number === 0)
    return `Drag ${taken}, or use the arrow keys, to change what a block is given.`;
  return `Drag ${taken}: the kept answers are rated anew by its shares, without a call.`;
}

function pointedText(view: View, values: readonly string[]): ComponentChildren {
  const block = view.dragging ?? view.pointed;
  const one = block === null ? undefined : view.inputs.distributions[block];
  if (block === null || !one) return null;
  const margin = Number(points(view.inputs.equivalence_margin, 1));
  const row = rowsOf(view).answered.find((r) => r.language === chosenLanguage(view));
  const point = row?.points[block];
  return (
    <>
      <b>{blockName(one)}</b>, {kindText(one)}
      {view.dragging !== null && one.kind === "unbiased" && ` (up to ${margin} points from even)`}:{" "}
      {sharesText(one.shares, values)}
      {point && (
        <>
          <br />→ {row.title || "back"}: {sharesText(point, values)}
          {row.cells[block]?.predicted && " (predicted)"}
        </>
      )}
    </>
  );
}

/** The way back to the shares that were run. */
function AsRun({ store, view }: Omit<Props, "values">) {
  if (!isPredicted(view) || view.ran.length === 0) return null;
  return (
    <button
      type="button"
      class="link rigid"
      data-testid="as-run"
      aria-label="Reset to the shares that were run"
      onClick={() => store.set({ distributions: view.ran.map((one) => ({ ...one })) })}
    >
      Reset
    </button>
  );
}
