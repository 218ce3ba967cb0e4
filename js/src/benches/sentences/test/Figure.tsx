import { SquareRows } from "../../../lib/bench/SquareGrid";
import { KEY, SquareKey } from "../../../lib/bench/SquareSamples";
import { groupNames, type View } from "../store";
import { Bars } from "./Bars";
import { HEAD, linesOfModels } from "./layout";
import { AxisBody, axisHeight, modelsOf } from "./ScoreAxis";
import { tableOf } from "./table";

const WIDTH = 920;

/** The whole picture for taking along: scores, shares and squares of all models. */
export function Figure({ view }: { view: View }) {
  const models = modelsOf(view);
  const { rows, g, at, models: panels } = tableOf({ ...view, outcome: "all", search: "" }, WIDTH);
  const top = axisHeight(models.length) + 16;
  const each = HEAD + at.height + 12;
  const lines = linesOfModels(panels, g.perLine);
  const groups = groupNames(view);
  return (
    <svg class="drawing" width={WIDTH} height={top + KEY + each * lines.length}>
      <AxisBody models={models} width={WIDTH} />
      <g transform={`translate(0 ${top})`}>
        <SquareKey />
      </g>
      {lines.map((line, i) => (
        <g key={line[0]!.name} transform={`translate(0 ${top + KEY + i * each})`}>
          <Bars rows={rows} at={at} g={g} models={line} groups={groups} active="" />
          {line.map((model, place) => (
            <g key={model.name} transform={`translate(${g.grids[place]} ${HEAD})`}>
              <SquareRows rows={model.squares.rows} raster={g.raster} />
            </g>
          ))}
        </g>
      ))}
    </svg>
  );
}
