import { useRef } from "preact/hooks";
import type { Tree } from "../../../generated/rating";
import { Spans } from "../../../lib/bench/Verdict";
import { useWidth } from "../../../lib/hooks";
import { Room } from "../../../lib/ui/Room";
import { findingOf, type View } from "../store";
import { treeTitle } from "../texts";
import { layoutOf, treeSaid } from "./layout";
import { TreeDrawing } from "./TreeDrawing";

/** Both rules for the chosen language, lit along the way that they took, and why in words. */
export function Trees({ view }: { view: View }) {
  const { title } = view.detail;
  const { trees, explanation } = findingOf(view);
  return (
    <section class="trees-part" aria-label="Decision trees">
      {trees.length > 0 ? (
        <div class="trees">
          {trees.map((tree) => (
            <TreeFigure key={tree.rule} tree={tree} title={title} />
          ))}
        </div>
      ) : (
        <p class="nothing">
          Both rules’ decision trees stand here once a language has its answers, with the way that
          each took.
        </p>
      )}
      <Room text=".explanation" what="explanation">
        <p class="explanation" data-testid="explanation">
          <Spans spans={explanation} />
        </p>
      </Room>
    </section>
  );
}

function TreeFigure({ tree, title }: { tree: Tree; title: string }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place, 430);
  const { height } = layoutOf(tree, width);
  const taken = tree.nodes.filter((node) => node.on_path && node.question && node.note);
  return (
    <figure class="tree" data-testid={`tree-${tree.rule}`} data-rating={tree.rating}>
      <figcaption class="spread">
        <h2>{treeTitle(tree.rule, title)}</h2>
        <b class={`rigid bold ${tree.rating === "not rateable" ? "warn-text" : ""}`}>
          {tree.rating}
        </b>
      </figcaption>
      <div ref={place}>
        <svg
          class="drawing"
          width={width}
          height={height}
          role="img"
          aria-label={`${treeTitle(tree.rule)}. ${treeSaid(tree)}`}
        >
          <TreeDrawing tree={tree} width={width} />
        </svg>
      </div>
      <ol class="tree-notes ink2 t11">
        {taken.map((node) => (
          <li key={node.key}>
            <b>{node.title}</b> {node.note}
          </li>
        ))}
      </ol>
    </figure>
  );
}
