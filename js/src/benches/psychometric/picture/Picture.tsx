import type { RefObject } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { useFont, useWidth } from "../../../lib/hooks";
import { linear } from "../../../lib/scale";
import { Switch } from "../../../lib/ui/Controls";
import { useUid } from "../../../lib/uid";
import { cueNames } from "../Header";
import { geometry } from "../layout";
import type { Store, View } from "../store";
import { Alpha, Guide } from "./Alpha";
import { arrange } from "./arranged";
import { Column } from "./Column";
import { Fit } from "./Fit";
import { Axis, Frame } from "./Frame";
import { Intervals } from "./Intervals";
import { labelBoxes, obstacles } from "./labels";
import { Outlines } from "./Outlines";
import { Predicted, Residuals } from "./Residuals";
import { RowTints } from "./RowTints";
import { stripOf } from "./strip";

interface Props {
  store: Store;
  view: View;
  svg: RefObject<SVGSVGElement | null>;
}

/** The picture: every row a replicate that flips once, so that the edge is the curve. */
export function Picture({ store, view, svg }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const id = useUid();
  const width = useWidth(box, 694);
  const font = useFont(svg);
  const g = useMemo(() => geometry(width), [width, font]);
  const { picture, state } = view.answer;
  const [low, high] = picture?.axis ?? [0, 1];
  const x = useMemo(() => linear([low, high], [g.left, g.right]), [low, high, g]);
  const rows = useMemo(() => arrange(picture), [picture]);
  const stale =
    picture !== null && (state === "error" || (state === "loading" && !isPartial(view)));
  const [cue1, cue2] = cueNames(view);
  const strip = useMemo(
    () => (view.inputs.residuals ? stripOf(g) : null),
    [view.inputs.residuals, g],
  );
  const fitted = picture && !isPartial(view);
  const boxes = useMemo(() => (fitted ? labelBoxes(g, x, picture) : []), [fitted, g, x, picture]);
  const inWay = useMemo(
    () => (fitted ? obstacles(g, x, picture, rows.switches) : []),
    [fitted, g, x, picture, rows],
  );
  const total = isPartial(view) ? view.progress.total : rows.all.length;

  return (
    <div class={`picture ${stale ? "stale" : ""}`} ref={box}>
      <div class="fit-axis">
        <Switch
          {...store.input("residuals")}
          label="residuals"
          testid="residuals-switch"
          title="Show where the curve misses the answers, and where new mean answers would lie"
        />
        <Switch
          {...store.input("fit_axis")}
          label="fit axis"
          title="Zoom the stimulus axis to the switch points"
        />
      </div>
      <svg
        ref={svg}
        class="drawing"
        width={g.width}
        height={g.height + (strip?.height ?? 0)}
        role="group"
        aria-label={`Answers against the share of ${cue2} in the blend`}
      >
        <clipPath id={`${id}-plot`}>
          <rect x={g.left} y={g.top} width={g.right - g.left} height={g.bottom - g.top} />
        </clipPath>
        <Frame
          g={g}
          x={x}
          unit={picture?.unit || "replicates"}
          graded={rows.graded !== null}
          pooled={(picture?.pairs.length ?? 0) > 1}
          cue2={cue2}
        />
        <RowTints id={id} g={g} x={x} rows={rows} total={total} noise={picture?.row_noise ?? 0} />
        <Axis id={id} g={g} x={x} cue1={cue1} cue2={cue2} />
        <Guide g={g} x={x} alpha={view.inputs.alpha} boxes={boxes} />
        {strip && fitted && <Predicted id={id} g={g} x={x} picture={picture} />}
        {picture && (
          <Fit id={id} g={g} x={x} picture={picture} rows={rows} partial={isPartial(view)} />
        )}
        <Outlines g={g} x={x} rows={rows} total={total} store={store} view={view} />
        {picture && (
          <Column g={g} rows={rows} total={total} picture={picture} alpha={view.inputs.alpha} />
        )}
        {picture && <Intervals g={g} x={x} picture={picture} partial={isPartial(view)} />}
        {strip && fitted && <Residuals id={id} g={g} x={x} picture={picture} strip={strip} />}
        <Alpha
          g={g}
          x={x}
          rows={rows}
          total={total}
          store={store}
          view={view}
          svg={svg}
          boxes={inWay}
        />
      </svg>
    </div>
  );
}

/** Long work that already shows its first rows: progress counts them. */
export function isPartial({ answer, progress }: View): boolean {
  const rows = answer.picture?.rows.switch.length ?? 0;
  return answer.state === "loading" && rows > 0 && progress.total > rows && progress.done === rows;
}
