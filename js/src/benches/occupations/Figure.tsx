import { arrange } from "./arrange";
import { FOOT, geometryOf, HEAD, marksIn, RowsFoot, RowsGrid, RowsHead } from "./Frame";
import { frameOf, MOST_PLOTS, ROW } from "./layout";
import { Row } from "./Row";
import { drawingOf, ScatterBody, scatterGeometry } from "./Scatter";
import { agreementOf, contrastsOf, groupNames, mainContrast, type View } from "./store";

const WIDTH = 640;
const SCATTER = 400;
const GAP = 32;

/** The whole picture for taking along: every row that the filter shows, and the scatter. */
export function Figure({ view }: { view: View }) {
  const { picture } = view.answer;
  const { measure, sort, shown, search, adjust } = view.inputs;
  const main = mainContrast(view);
  if (!picture || !main) return null;
  const contrasts = contrastsOf(view).slice(0, MOST_PLOTS);
  const rows = arrange(picture, main, { measure, sort, shown, search });
  const g = geometryOf(WIDTH, picture, contrasts, measure, picture.interval_level);
  const groups = groupNames(view);
  const frame = frameOf(g, contrasts, measure, groups);
  const height = rows.length * ROW;
  const agreement = agreementOf(view);
  const drawing = drawingOf(scatterGeometry(SCATTER), picture, main, agreement, measure);
  const beside = agreement !== null && drawing.points.length > 0;
  return (
    <svg
      class="drawing"
      width={WIDTH + (beside ? GAP + SCATTER : 0)}
      height={Math.max(HEAD + height + FOOT, beside ? drawing.g.height : 0)}
    >
      <RowsHead
        {...frame}
        level={picture.interval_level}
        middle={picture.middle}
        ranked={picture.ranking !== null}
      />
      <g transform={`translate(0 ${HEAD})`}>
        <RowsGrid scales={frame.scales} axis={frame.axis} height={height} />
        {rows.map((row, place) => (
          <Row
            key={row}
            id=""
            index={row}
            place={place}
            total={rows.length}
            y={place * ROW}
            g={g}
            scales={frame.scales}
            picture={picture}
            contrasts={contrasts}
            measure={measure}
            look=""
          />
        ))}
      </g>
      <g transform={`translate(0 ${HEAD + height})`}>
        <RowsFoot {...frame} jnd={picture.jnd_label} marks={marksIn(contrasts, adjust)} />
      </g>
      {beside && (
        <g transform={`translate(${WIDTH + GAP} 0)`}>
          <ScatterBody
            drawing={drawing}
            picture={picture}
            contrast={main}
            agreement={agreement}
            measure={measure}
            cue2={groups[1]}
          />
        </g>
      )}
    </svg>
  );
}
