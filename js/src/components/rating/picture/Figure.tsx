/** The picture as one drawing, to be taken along: input and output, the matrix, both trees. */
import { px } from "../../../lib/marks";
import { layoutOf } from "../rules/layout";
import { TreeDrawing } from "../rules/TreeDrawing";
import { chosenLanguage, findingOf, type View, valuesOf } from "../store";
import { stateText } from "../texts";
import { drawnOrder, tonesOf } from "../tones";
import { cornersIn, MOST_WIDTH } from "./corners";
import { blockName, rowsOf } from "./rows";
import { Bar, barsHeight, ShareBarsBody } from "./ShareBars";
import { TriangleBody } from "./TriangleBody";

const WIDTH = 900;
const LEFT = MOST_WIDTH + 30;
const ROW = 30;
const NAME = 112;
const RATING = 88;
const BETWEEN = 30;
/** Names of values in a line of the key. */
const KEYS = 6;

export function Figure({ view }: { view: View }) {
  const values = valuesOf(view);
  const rows = rowsOf(view);
  const { distributions } = view.inputs;
  const corners = cornersIn(MOST_WIDTH, drawnOrder(values));
  const three = values.length === 3;
  const inputHigh = three ? corners.height : barsHeight(distributions.length);
  const keyHigh = 16 * Math.ceil(values.length / KEYS);
  const top = Math.max(inputHigh, 40 + (rows.all.length + 1) * ROW + keyHigh) + 16;
  const { trees } = findingOf(view);
  const wide = (WIDTH - BETWEEN) / 2;
  const high = Math.max(0, ...trees.map((tree) => layoutOf(tree, wide).height));
  return (
    <svg class="drawing" width={WIDTH} height={top + (trees.length > 0 ? high + 34 : 0)}>
      {three ? (
        <TriangleBody
          corners={corners}
          values={values}
          blocks={distributions}
          rows={rows}
          chosen={chosenLanguage(view)}
          plain
        />
      ) : (
        <ShareBarsBody view={view} values={values} width={MOST_WIDTH} />
      )}
      <MatrixDrawing view={view} values={values} />
      {trees.map((tree, i) => (
        <g key={tree.rule} transform={`translate(${i * (wide + BETWEEN)} ${top})`}>
          <text class="t13 bold" x={0} y={14}>
            {view.detail.title && `${view.detail.title}, `}
            {tree.rule === "paper" ? "paper’s rule" : "corrected rule"}: {tree.rating}
          </text>
          <g transform="translate(0 30)">
            <TreeDrawing tree={tree} width={wide} />
          </g>
        </g>
      ))}
    </svg>
  );
}

function MatrixDrawing({ view, values }: { view: View; values: readonly string[] }) {
  const { distributions } = view.inputs;
  const rows = rowsOf(view).all;
  const tones = tonesOf(values);
  const right = WIDTH - 2 * RATING - 8;
  const step = (right - LEFT - NAME) / Math.max(1, distributions.length);
  const at = (block: number) => LEFT + NAME + block * step;
  const y = (line: number) => 30 + line * ROW;
  const key = (WIDTH - LEFT) / KEYS;
  return (
    <g>
      {distributions.map((one, b) => (
        <text key={b} class="t11 ink2" x={px(at(b))} y={14}>
          {blockName(one)}
        </text>
      ))}
      {["paper", "corrected"].map((rule, i) => (
        <text key={rule} class="t11 ink2" x={right + 8 + i * (RATING - 20)} y={14}>
          {rule}
        </text>
      ))}
      <text class="t12 ink2" x={LEFT} y={y(0) + 15}>
        input
      </text>
      {distributions.map((one, b) => (
        <g key={b} transform={`translate(${px(at(b))} 0)`}>
          <Bar shares={one.shares} values={values} width={step - 14} y={y(0) + 5} height={12} />
        </g>
      ))}
      {rows.map((row, i) => (
        <g key={row.language}>
          <path class="hair" d={`M${LEFT} ${y(i + 1) - 4}H${WIDTH}`} />
          <text class="t12" x={LEFT} y={y(i + 1) + 15}>
            {row.title || "directly"}
          </text>
          {row.cells.map((cell, b) => (
            <g key={b} transform={`translate(${px(at(b))} 0)`}>
              {cell.mentions > 0 && (
                <Bar
                  shares={cell.counts}
                  values={values}
                  width={(step - 14) * (1 - cell.unresolved / cell.mentions)}
                  y={y(i + 1) + 5}
                  height={12}
                />
              )}
            </g>
          ))}
          <text class="t12" x={right + 8} y={y(i + 1) + 15}>
            {row.paper}
          </text>
          <text class="t12 bold" x={right + 8 + RATING - 20} y={y(i + 1) + 15}>
            {row.corrected ?? stateText(row)}
          </text>
        </g>
      ))}
      {drawnOrder(values).map((value, i) => (
        <g
          key={value}
          transform={`translate(${px(LEFT + (i % KEYS) * key)} ${y(rows.length + 1) + 6 + 16 * Math.floor(i / KEYS)})`}
        >
          <rect class={`tone-${tones[value]}`} width={8} height={8} y={1} />
          <text class="t11 ink2" x={13} y={9}>
            {values[value]?.toLowerCase()}
          </text>
        </g>
      ))}
    </g>
  );
}
