import type { Picture, Side } from "../../generated/association";
import { columnsFor, Forest, type Row } from "../../lib/chart/Forest";
import type { Shape } from "../../lib/chart/marks";
import { ValueAxis } from "../../lib/chart/ValueAxis";
import { memo } from "../../lib/memo";
import { axisTicks, domainOver, linear } from "../../lib/scale";
import type { Inputs } from "./store";
import { posteriorOf, sidesOf } from "./store";
import { number, range } from "./texts";

const HEAD = 30;
const LINE = 19;
const GAP = 14;
const FOOT = 26;

type Model = Inputs["model"];

/** The paper's model and the crossed one stand side by side; the third joins where it is chosen. */
export const modelsShown = (model: Model): Model[] =>
  model === "per-word" ? ["pooled", "per-word", "crossed"] : ["pooled", "crossed"];

export const modelShape = (model: Model): Shape => (model === "crossed" ? "ring" : "circle");

/** One axis for both subjects: only then do they compare. */
export function contrastDomain(picture: Picture | null, model: Model): [number, number] {
  const contrasts = sidesOf(picture).flatMap((side) =>
    modelsShown(model).flatMap((name) => posteriorOf(side, name)?.contrasts ?? []),
  );
  return domainOver([-0.05, 0.1, ...contrasts.flatMap(({ low, high }) => [low, high])], 0.05);
}

export const contrastsHeight = (side: Side | null, model: Model) =>
  HEAD + Math.max(3, labelsOf(side).length) * (modelsShown(model).length * LINE + GAP) + FOOT;

const labelsOf = (side: Side | null): string[] =>
  (side?.posteriors[0]?.contrasts ?? []).map((c) => c.label);

interface Props {
  side: Side | null;
  model: Model;
  domain: [number, number];
  width: number;
}

/** Differences between connection types: what the data can tell, under each model. */
export const ContrastRows = memo(function ContrastRows({ side, model, domain, width }: Props) {
  const rows = rowsOf(side, model);
  const columns = columnsFor(width, rows, { least: 60, most: 0.34 * width });
  const x = linear(domain, [columns.left, columns.right]);
  return (
    <g>
      <ValueAxis
        x={x}
        ticks={axisTicks(domain, 0, columns.right - columns.left)}
        neutral={0}
        label="no difference 0"
        top={HEAD}
        bottom={contrastsHeight(side, model) - FOOT}
        width={width}
      />
      <Forest columns={columns} x={x} rows={rows} wrapped />
    </g>
  );
});

/** A row for each contrast, and in it a line for each model. */
function rowsOf(side: Side | null, model: Model): Row[] {
  const models = modelsShown(model);
  const block = models.length * LINE + GAP;
  return labelsOf(side).map((label, i) => ({
    name: label,
    y: HEAD + (i + 0.5) * block,
    marks: models.flatMap((name, k) => {
      const contrast = side && posteriorOf(side, name)?.contrasts[i];
      if (!contrast) return [];
      const { value, low, high, first, second } = contrast;
      return {
        ...contrast,
        dy: (k - (models.length - 1) / 2) * LINE,
        look: `m-${name}`,
        shape: modelShape(name),
        texts: [number(value, 3), range(low, high)],
        faint: name !== model,
        data: { testid: "contrast", model: name, first, second, value, low, high },
      };
    }),
  }));
}
