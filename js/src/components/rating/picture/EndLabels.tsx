import { px } from "../../../lib/marks";
import { wrap } from "../../../lib/textwidth";
import { type Corners, type Ends, placeOf } from "./corners";
import { along, type Box, boxesOf, type Label, labelAt } from "./labels";

interface Props {
  ends: readonly Ends[];
  inputs: readonly (readonly number[])[];
  corners: Corners;
}

/** More are named by the matrix only. */
const MOST = 6;

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
    const found = labelOf(group, corners, taken);
    if (!found) return [];
    taken.push(found.box, ...(found.leader ? along(...found.leader) : []));
    return [[group, found]];
  });
  return (
    <g>
      {labels.map(([group, label]) => (
        <EndLabel key={group.rows[0]!.language} note={group.note} label={label} />
      ))}
    </g>
  );
}

function EndLabel({ note, label }: { note: string; label: Label }) {
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
        {label.lines.map((text, i) => (
          <tspan key={text} x={x} dy={i ? 14 : 0} class={text === note ? "ink2" : "bold"}>
            {text}
          </tspan>
        ))}
      </text>
    </>
  );
}

/** Names of many languages take lines of so many pixels. */
const WIDE = 122;

function labelOf(group: Ends, corners: Corners, taken: readonly Box[]): Label | null {
  const names = group.rows.map((row) => row.title || "what comes back");
  const shown = names.length > 3 ? [...names.slice(0, 2), `and ${names.length - 2} more`] : names;
  const title = `${shown.join(", ")}${group.note ? ":" : ""}`;
  const places = group.points
    .flatMap((point) => (point ? [placeOf(point, corners)] : []))
    .sort((a, b) => a.x - b.x);
  const middle = places[Math.floor(places.length / 2)];
  // The middle one of what is drawn from left to right, then the others.
  const order = middle ? [middle, ...places.filter((place) => place !== middle)] : [];
  const lines = [...wrap(title, 11, WIDE), ...(group.note ? [group.note] : [])];
  return labelAt(order, lines, corners, taken);
}
