import type { Tree } from "../../../generated/rating";
import { px } from "../../../lib/marks";
import { textWidth } from "../../../lib/textwidth";
import { type Drawn, endsOf, layoutOf, type Placed } from "./layout";

/** A decision tree, lit along the way that was taken. */
export function TreeDrawing({ tree, width }: { tree: Tree; width: number }) {
  const drawn = layoutOf(tree, width);
  const lit = (on: boolean) => Number(on);
  const edges = [...drawn.edges].sort((a, b) => lit(a.edge.on_path) - lit(b.edge.on_path));
  return (
    <g>
      {/* Lit and unlit are two elements: Chromium keeps the old look of one that moves and changes
          its class at once. */}
      {edges.map((one) => (
        <EdgeMark key={`${one.edge.source} ${one.edge.target} ${one.edge.on_path}`} drawn={one} />
      ))}
      {drawn.nodes.map((placed) => (
        <NodeMark key={placed.node.key} placed={placed} />
      ))}
    </g>
  );
}

function EdgeMark({ drawn }: { drawn: Drawn["edges"][number] }) {
  const { edge } = drawn;
  const [from, to] = endsOf(drawn);
  const level = from.y === to.y;
  const [x, y] = level
    ? [(from.x + to.x) / 2, from.y + 4]
    : [(from.x + to.x) / 2, (from.y + to.y) / 2 + 4];
  const wide = textWidth(edge.answer, 11, true) + 6;
  return (
    <g
      class={edge.on_path ? "edge-mark lit" : "edge-mark"}
      data-testid="tree-edge"
      data-source={edge.source}
      data-target={edge.target}
      data-lit={edge.on_path ? "" : undefined}
    >
      <path d={`M${px(from.x)} ${px(from.y)}L${px(to.x)} ${px(to.y)}`} />
      <rect class="plate" x={px(x - wide / 2)} y={px(y - 11)} width={px(wide)} height={15} />
      <text class="t11 halo" x={px(x)} y={px(y)} text-anchor="middle">
        {edge.answer}
      </text>
    </g>
  );
}

function NodeMark({ placed }: { placed: Placed }) {
  const { node, x, y, width, height, title, lines } = placed;
  const first = node.is_rating || lines.length === 0 ? y + 4 : y - height / 2 + 17;
  return (
    <g
      class={`node ${node.is_rating ? "rating-node" : ""} ${node.on_path ? "lit" : ""}`}
      data-testid="tree-node"
      data-key={node.key}
      data-lit={node.on_path ? "" : undefined}
    >
      <rect
        class="plate"
        x={px(x - width / 2)}
        y={px(y - height / 2)}
        width={px(width)}
        height={height}
        rx={6}
      />
      {[...title, ...lines].map((line, i) => (
        <text
          key={i}
          class={i < title.length ? "t12 bold" : "t11 ink2"}
          x={px(x)}
          y={px(first + 14 * i + (i < title.length ? 0 : 1))}
          text-anchor="middle"
        >
          {line}
        </text>
      ))}
    </g>
  );
}
