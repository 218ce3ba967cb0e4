import type { Picture, Side } from "../../generated/association";
import { Mark } from "../../lib/chart/marks";
import { ContrastRows, contrastDomain, contrastsHeight } from "./Contrasts";
import { HEIGHT, Histogram } from "./Histogram";
import { columnsOf, FOOT, HEAD, holding, type Rows, rowsOf, scaleOf } from "./layout";
import { KEYS, LABELS, SHAPES } from "./marks";
import { Points } from "./Points";
import { Estimates } from "./Posterior";
import { paperRow, simulationDomain, simulationLines } from "./simulation";
import { estimatesOf, sidesOf, type View } from "./store";
import { MODELS, number, stepsOf } from "./texts";
import { observedLine, reachedBy, weatDomain } from "./weat";

const WIDTH = 460;
const GAP = 36;
const TITLE = 26;

/** The whole picture for taking along: points, estimates, contrasts and WEAT of each subject. */
export function Figure({ view }: { view: View }) {
  const { picture } = view.answer;
  if (!picture) return null;
  return view.inputs.shown === "simulation" ? (
    <SimulationFigure view={view} picture={picture} />
  ) : (
    <DataFigure view={view} picture={picture} />
  );
}

interface Props {
  view: View;
  picture: Picture;
}

function DataFigure({ view, picture }: Props) {
  const rows = rowsOf(picture.protected);
  const { model } = view.inputs;
  const sides = sidesOf(picture);
  const upper = TITLE + HEAD + rows.height + FOOT;
  const lower = TITLE + Math.max(contrastsHeight(picture.before, model), HEIGHT);
  const each = upper + lower + 20;
  return (
    <svg class="drawing" width={2 * WIDTH + GAP} height={22 + each * sides.length}>
      <Key />
      {sides.map((side, i) => (
        <g key={side.name} transform={`translate(0 ${22 + i * each})`}>
          <One view={view} picture={picture} side={side} rows={rows} upper={upper} />
        </g>
      ))}
    </svg>
  );
}

/** The legend of the connection types. */
function Key() {
  return (
    <g>
      {KEYS.map((key, i) => (
        <g key={key} class={`c-${key}`} transform={`translate(${6 + i * 130} 8)`}>
          <Mark x={0} y={0} shape={SHAPES[key]} />
          <text class="t11 ink2" x={10} y={4}>
            {LABELS[key]}
          </text>
        </g>
      ))}
    </g>
  );
}

function One({
  view,
  picture,
  side,
  rows,
  upper,
}: Props & { side: Side; rows: Rows; upper: number }) {
  const { model, step, alternative } = view.inputs;
  const columns = columnsOf(WIDTH, rows);
  const of = picture.after ? `, ${side.name}` : "";
  const level = Math.round(picture.interval_level * 100);
  const { weat } = side;
  return (
    <g>
      <Title x={0} text={`${stepsOf(picture)[step - 1]!.title}${of}`} />
      <g transform={`translate(0 ${TITLE})`}>
        <Points
          {...{ side, rows, columns }}
          x={scaleOf(holding(picture.axis, 1), columns)}
          at={step}
        />
      </g>
      <g transform={`translate(${WIDTH + GAP} 0)`}>
        <Title x={0} text={`${MODELS[model]} model, ${level} % HPDI${of}`} />
        <g transform={`translate(0 ${TITLE})`}>
          <Estimates
            {...{ side, rows, columns }}
            posterior={estimatesOf(side, model)}
            x={scaleOf(holding(picture.posterior_axis, 1), columns)}
          />
        </g>
      </g>
      <g transform={`translate(0 ${upper})`}>
        <Title x={0} text="Contrasts: paper’s model filled, crossed model open" />
        <g transform={`translate(0 ${TITLE})`}>
          <ContrastRows
            side={side}
            model={model}
            domain={contrastDomain(picture, model)}
            width={WIDTH}
          />
        </g>
      </g>
      {weat && (
        <g transform={`translate(${WIDTH + GAP} ${upper})`}>
          <Title
            x={0}
            text={`WEAT, ${weat.groups.join(" and ")}: difference ${number(weat.statistic, 3)}, effect size ${number(weat.effect_size)}, ceiling ${number(weat.ceiling)}`}
          />
          <g transform={`translate(0 ${TITLE})`}>
            <Histogram
              edges={weat.null_edges}
              counts={weat.null_counts}
              domain={weatDomain(picture)}
              width={WIDTH}
              neutral="no association 0"
              axis="difference of means, over all splits of the words"
              lines={[observedLine(weat)]}
              reached={reachedBy(weat, alternative)}
            />
          </g>
        </g>
      )}
    </g>
  );
}

function Title({ x, text }: { x: number; text: string }) {
  return (
    <text class="t12 bold" x={x} y={14}>
      {text}
    </text>
  );
}

function SimulationFigure({ view, picture }: Props) {
  const simulation = picture.simulation;
  if (!simulation) return null;
  return (
    <svg class="drawing" width={WIDTH + 120} height={HEIGHT}>
      <Histogram
        edges={simulation.edges}
        counts={simulation.counts}
        domain={simulationDomain(simulation)}
        width={WIDTH + 120}
        neutral="no association 0"
        axis="effect size"
        lines={simulationLines(simulation, paperRow(view.inputs.simulation))}
        reached={() => false}
      />
    </svg>
  );
}
