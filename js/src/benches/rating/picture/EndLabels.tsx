import type { Box } from "../../../lib/boxes";
import { px } from "../../../lib/marks";
import { wrap } from "../../../lib/textwidth";
import { type Corners, type Ends, placeOf } from "./corners";
import { along, boxesOf, type Label, LINE, type Line, labelAt } from "./labels";

interface Props {
  ends: readonly Ends[];
  inputs: readonly (readonly number[])[];
  corners: Corners;
}

/** More are named by the matrix only. */
const MOST = 6;

/** Between labels beside each other. */
const ASIDE = 6;

/** Which languages end where. */
export function EndLabels({ ends, inputs, corners }: Props) {
  const taken = [...boxesOf(corners, inputs), ...ends.flatMap(arrowsOf)];
  function arrowsOf({ points }: Ends): Box[] {
    return points.flatMap((point, i) => {
      const input = inputs[i];
      return point && input ? along(placeOf(input, corners), placeOf(point, corners)) : [];
    });
  }
  const labels = ends.slice(0, MOST).flatMap((group): [Ends, Label][] => {
    const label = labelOf(group, corners, taken);
    if (!label) return [];
    const { box, leader } = label;
    taken.push({ ...box, left: box.left - ASIDE, right: box.right + ASIDE });
    if (leader) taken.push(...along(...leader));
    return [[group, label]];
  });
  return (
    <g>
      {labels.map(([group, label]) => (
        <EndLabel key={group.rows[0]!.language} label={label} />
      ))}
    </g>
  );
}

function EndLabel({ label }: { label: Label }) {
  const { leader } = label;
  const x = px(label.x);
  return (
    <>
      {leader && (
        <path class="leader" d={`M${leader.map((at) => `${px(at.x)} ${px(at.y)}`).join("L")}`} />
      )}
      <text
        class="t11 halo"
        x={x}
        y={px(label.y)}
        text-anchor={label.anchor}
        data-testid="end-label"
      >
        {label.lines.map(({ text, bold }, i) => (
          <tspan key={i} x={x} dy={i ? LINE : 0} class={bold ? "bold" : "ink2"}>
            {text}
          </tspan>
        ))}
      </text>
    </>
  );
}

/** Lines have at most so many pixels. */
const [WIDE, SLIM] = [122, 84];

function labelOf(group: Ends, corners: Corners, taken: readonly Box[]): Label | null {
  const names = group.rows.map((row) => row.title || "what comes back");
  const shown = names.length > 3 ? [...names.slice(0, 2), `and ${names.length - 2} more`] : names;
  const { note } = group;
  const bold = (text: string): Line[] =>
    wrap(text, 11, WIDE, true).map((line) => ({ text: line, bold: true }));
  const plain = (text: string): Line => ({ text, bold: false });
  const title = shown.join(", ");
  const ways = note
    ? [
        [...bold(`${title}:`), plain(note)],
        [...bold(`${title}:`), ...wrap(note, 11, SLIM).map(plain)],
        bold(title),
      ]
    : [bold(title)];
  const places = group.points
    .flatMap((point) => (point ? [placeOf(point, corners)] : []))
    .sort((a, b) => a.x - b.x);
  const middle = places[Math.floor(places.length / 2)];
  // The middle one of what is drawn from left to right, then the others.
  const order = middle ? [middle, ...places.filter((place) => place !== middle)] : [];
  return labelAt(order, ways, corners, taken);
}
