/** Where the questions and ratings of a decision tree stand: questions above, ratings below. */
import type { Tree, TreeEdge, TreeNode } from "../../../generated/rating";
import { wrap } from "../../../lib/textwidth";

export interface Placed {
  node: TreeNode;
  /** The middle of its box. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** Its title, and below it the question, in as many lines as they need. */
  title: readonly string[];
  lines: readonly string[];
}

export interface Drawn {
  nodes: readonly Placed[];
  edges: readonly { edge: TreeEdge; from: Placed; to: Placed }[];
  height: number;
}

/** Between questions, where the answer stands; on a phone there is less. */
const GAP = 34;
const NARROW = 400;
const LEAF = 26;
const BETWEEN = 84;

export function layoutOf(tree: Tree, width: number): Drawn {
  const questions = tree.nodes.filter((node) => !node.is_rating);
  const ratings = tree.nodes.filter((node) => node.is_rating);
  const slot = width / Math.max(1, questions.length);
  const wide = Math.min(172, slot - (width < NARROW ? 22 : GAP));
  // Where the title is the question, the answer's counts stand below it.
  const texts = questions.map((node) => wrap(node.question || node.note, 11, wide - 8));
  const titles = questions.map((node) => wrap(node.title, 12, wide - 8, true));
  const most = Math.max(0, ...texts.map((lines, i) => lines.length + titles[i]!.length));
  const high = 12 + 14 * most;
  const place = new Map<string, Placed>();
  questions.forEach((node, i) => {
    const at = { x: slot * (i + 0.5), y: 1 + high / 2, width: wide, height: high };
    place.set(node.key, { node, title: titles[i]!, lines: texts[i]!, ...at });
  });
  const leaf = width / Math.max(1, ratings.length);
  const y = 1 + high + BETWEEN + LEAF / 2;
  ratings.forEach((node, i) => {
    const own = node.title.length > 6 ? 96 : 62;
    const at = { x: leaf * (i + 0.5), y, width: Math.min(own, leaf - 6), height: LEAF };
    place.set(node.key, { node, title: [node.title], lines: [], ...at });
  });
  const edges = tree.edges.flatMap((edge) => {
    const [from, to] = [place.get(edge.source), place.get(edge.target)];
    return from && to ? [{ edge, from, to }] : [];
  });
  return { nodes: [...place.values()], edges, height: y + LEAF / 2 + 2 };
}

/** From the edge of one box to that of the next. */
export function endsOf({ from, to }: Drawn["edges"][number]) {
  const level = from.y === to.y;
  if (level)
    return [
      { x: from.x + from.width / 2, y: from.y },
      { x: to.x - to.width / 2, y: to.y },
    ] as const;
  // Where two ways part they do not begin at one place.
  const begin = from.x + Math.max(-from.width / 4, Math.min(from.width / 4, (to.x - from.x) / 3));
  return [
    { x: begin, y: from.y + from.height / 2 },
    { x: to.x, y: to.y - to.height / 2 },
  ] as const;
}

/** The way in words, for a screen reader. */
export function treeSaid({ nodes, edges, rating }: Tree): string {
  const steps = nodes
    .filter((node) => node.on_path && !node.is_rating)
    .map((node) => {
      const edge = edges.find((one) => one.on_path && one.source === node.key);
      const label = [node.title, node.question].filter(Boolean).join(": ");
      return `${label} ${edge?.answer ?? ""}${node.note ? ` (${node.note})` : ""}.`;
    });
  return `${steps.join(" ")} Rating: ${rating}.`;
}
