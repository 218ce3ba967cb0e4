/** The picture as one drawing, to be taken along: input and output, the matrix, both trees. */
import { px } from "../../../lib/marks";
import { wrap } from "../../../lib/textwidth";
import { layoutOf } from "../rules/layout";
import { TreeDrawing } from "../rules/TreeDrawing";
import { chosenLanguage, findingOf, type View, valuesOf } from "../store";
import { stateText, treeTitle } from "../texts";
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
const KEY_LINE = 16;
const NAME_LINE = 13;

export function Figure({ view }: { view: View }) {
  const values = valuesOf(view);
  const rows = rowsOf(view);
  const { distributions } = view.inputs;
  const corners = cornersIn(MOST_WIDTH, drawnOrder(values));
  const three = values.length === 3;
  const inputHigh = three ? corners.height : barsHeight(distributions.length);
  const matrix = matrixIn(view, values);
  const top = Math.max(inputHigh, matrix.high) + 16;
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
      <MatrixDrawing view={view} values={values} places={matrix} />
      {trees.map((tree, i) => (
        <g key={tree.rule} transform={`translate(${i * (wide + BETWEEN)} ${top})`}>
          <text class="t13 bold" x={0} y={14}>
            {treeTitle(tree.rule, view.detail.title)}: {tree.rating}
          </text>
          <g transform="translate(0 30)">
            <TreeDrawing tree={tree} width={wide} />
          </g>
        </g>
      ))}
    </svg>
  );
}

/** Where the columns and the lines of the matrix stand; a block's name takes several lines. */
function matrixIn(view: View, values: readonly string[]) {
  const { distributions } = view.inputs;
  const ratings = WIDTH - 2 * RATING;
  const step = (ratings - 8 - LEFT - NAME) / Math.max(1, distributions.length);
  const names = distributions.map((one) => wrap(blockName(one), 11, step - 8));
  const head = 17 + NAME_LINE * Math.max(1, ...names.map((lines) => lines.length));
  const key = head + (rowsOf(view).all.length + 1) * ROW + 6;
  return {
    ratings,
    step,
    names,
    at: (block: number) => LEFT + NAME + block * step,
    y: (line: number) => head + line * ROW,
    key,
    high: key + KEY_LINE * Math.ceil(values.length / KEYS) + 4,
  };
}

interface MatrixProps {
  view: View;
  values: readonly string[];
  places: ReturnType<typeof matrixIn>;
}

function MatrixDrawing({ view, values, places }: MatrixProps) {
  const { ratings, step, names, at, y, key } = places;
  const { distributions } = view.inputs;
  const rows = rowsOf(view).all;
  const tones = tonesOf(values);
  const wide = (WIDTH - LEFT) / KEYS;
  return (
    <g>
      {names.map((lines, b) =>
        lines.map((line, i) => (
          <text
            key={`${b} ${i}`}
            class="t11 ink2"
            x={px(at(b))}
            y={y(0) - 16 - NAME_LINE * (lines.length - 1 - i)}
          >
            {line}
          </text>
        )),
      )}
      {["paper", "corrected"].map((rule, i) => (
        <text key={rule} class="t11 ink2" x={ratings + i * (RATING - 20)} y={y(0) - 16}>
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
          <text class="t12" x={ratings} y={y(i + 1) + 15}>
            {row.paper}
          </text>
          <text class="t12 bold" x={ratings + RATING - 20} y={y(i + 1) + 15}>
            {row.corrected ?? stateText(row)}
          </text>
        </g>
      ))}
      {drawnOrder(values).map((value, i) => (
        <g
          key={value}
          transform={`translate(${px(LEFT + (i % KEYS) * wide)} ${key + KEY_LINE * Math.floor(i / KEYS)})`}
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
