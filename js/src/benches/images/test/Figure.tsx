import { SquareRows } from "../../../lib/bench/SquareGrid";
import { CurveBody } from "../morph/Curve";
import { curveGeometry } from "../morph/layout";
import { conceptNames, type View } from "../store";
import { Lines } from "./Lines";
import { FOOT, HEAD } from "./layout";
import { tableOf } from "./table";

const WIDTH = 760;
const NAME = 22;

/** The whole picture for taking along: squares and scores of all models, and the morphs' curve. */
export function Figure({ view }: { view: View }) {
  const { rows, g, at, models } = tableOf({ ...view, outcome: "all", search: "" }, WIDTH);
  const several = models.length > 1 ? NAME : 0;
  const each = several + HEAD + at.height + FOOT + 10;
  const [one, two] = conceptNames(view);
  const { picture, cues } = view.morph;
  const curve = curveGeometry(WIDTH);
  const below = models.length * each;
  const count = view.images.images.length;
  return (
    <svg class="drawing" width={WIDTH} height={below + (picture ? 44 + curve.trackY : 0)}>
      {models.map((model, i) => (
        <g key={model.name} transform={`translate(0 ${i * each})`}>
          {several > 0 && (
            <text class="t13 bold" x={0} y={14}>
              {model.name}
            </text>
          )}
          <g transform={`translate(0 ${several})`}>
            <Lines {...{ rows, at, g, model, one, two, count }} active="" />
            <g transform={`translate(${g.grid} ${HEAD})`}>
              <SquareRows rows={model.squares.rows} raster={g.raster} />
            </g>
          </g>
        </g>
      ))}
      {picture && (
        <g transform={`translate(0 ${below + 10})`}>
          <text class="t13 bold" x={0} y={12}>
            {picture.item}, {picture.model}: portraits between {cues[0]} and {cues[1]}
          </text>
          <g transform="translate(0 26)">
            <CurveBody g={curve} picture={picture} cue={cues[1]} />
          </g>
        </g>
      )}
    </svg>
  );
}
