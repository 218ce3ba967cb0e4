import { useMemo, useRef, useState } from "preact/hooks";
import { NO_QUANTITY, NO_TRACE, type Quantity, type Trace } from "../../generated/posterior";
import { useWidth } from "../../lib/hooks";
import { memo } from "../../lib/memo";
import { sizes, unpack } from "../../lib/packed";
import { Segmented } from "../../lib/ui/Controls";
import { Term } from "../../lib/ui/Term";
import { Autocorrelation, cellsOf, HEADS, isLarge, RhatPath } from "./Diagnostics";
import { Dimensions } from "./Dimensions";
import type { Ramp } from "./heat";
import { runOf, type Store, type View } from "./store";
import {
  Heat,
  Lines,
  lineScales,
  Marked,
  type PlotGeometry,
  placeAt,
  placeToward,
  plotHeight,
  WarmUp,
} from "./TracePlot";
import { placeText, quantityLabel, subscript, whole } from "./texts";

interface Props {
  store: Store;
  view: View;
  ramp: Ramp;
  stale: boolean;
}

export interface Traced {
  quantity: Quantity;
  trace: Trace;
}

/** What is traced, each with its diagnostics; before the first run, what will be. */
export function tracedOf({ answer, traces, inputs }: View): Traced[] {
  const { picture } = answer;
  const quantities = picture?.quantities ?? [];
  // In the app traces come a moment before their picture: until then its rows stay.
  const names = (quantities.length > 0 ? quantities : traces.quantities).map((row) => row.name);
  const rows = names.map((name) => {
    const trace = traces.quantities.find((t) => t.name === name);
    const quantity = quantities.find((q) => q.name === name);
    const label = quantity?.label || trace?.label || name;
    return {
      quantity: { ...NO_QUANTITY, name, ...quantity, label },
      trace: trace ?? { ...NO_TRACE, name, label },
    };
  });
  // Its own line for what is to come: nothing jumps when it does.
  const first = [
    { name: "logit", label: `logit of p(${picture?.label || inputs.label} | s)` },
    { name: "square", label: "|s|²" },
    { name: "worst", label: "worst dimension" },
  ];
  const empty = first.slice(rows.length).map(({ name, label }) => ({
    quantity: { ...NO_QUANTITY, name, label },
    trace: { ...NO_TRACE, name, label },
  }));
  return [...rows, ...empty];
}

/** The traces: a table with a row for each quantity. */
export function Traces({ store, view, ramp, stale }: Props) {
  const { traced } = view;
  const rows = useMemo(() => tracedOf(view), [view.answer.picture, view.traces, view.inputs.label]);
  const run = runOf(view);
  const [few] = sizes(unpack(rows[0]!.trace.lines));
  const all = run.chains || view.inputs.chains;
  const pointed = rows.find((row) => row.trace.name === view.quantity);
  const warmup = warmupOf(rows);
  const said = view.place && pointed ? placeText(pointed.trace, view.place, traced, warmup) : "";
  return (
    <section class={`traces ${stale ? "stale" : ""} ${traced}`} aria-label="Chains">
      <header class="panel-head wrap-row">
        <h2>Chains</h2>
        {traced === "all" && (
          <p class="ramp in-line push ink2 t11" data-testid="ramp">
            <span>below</span>
            <i />
            <span>above the mean of all chains</span>
          </p>
        )}
        <div class="mini traced">
          <Segmented
            label="Chains shown"
            testid="traced"
            value={traced}
            options={[
              { value: "lines", label: few > 0 ? `${few} as lines` : "As lines" },
              { value: "all", label: `All ${whole(all)}` },
            ]}
            onChange={(value) => store.show({ traced: value })}
          />
        </div>
      </header>
      <table class="trace-table" aria-label="Chains and their diagnostics" data-testid="traces">
        <thead>
          <tr class="trace trace-head">
            <th scope="col">
              <span class="visually-hidden">quantity</span>
            </th>
            <th scope="col" class="plot-title">
              {traced === "lines" ? (
                <>
                  <span>warm-up</span>
                  <span>
                    {few > 0 ? `draws kept, ${few} of ${whole(all)} chains` : "draws kept"}
                  </span>
                </>
              ) : (
                <>
                  <span>draws kept, in blocks; a row for each of {whole(all)} chains</span>
                  <span class="end">mean</span>
                </>
              )}
            </th>
            <th scope="col">autocorrelation</th>
            <th scope="col">
              <Term name="R-hat" />
            </th>
            <th scope="col">now</th>
            <th scope="col">
              <Term name="ESS">ESS bulk</Term>
            </th>
            <th scope="col">tail</th>
            <th scope="col">
              <Term name="MCSE" />
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row
              key={row.quantity.name}
              store={store}
              view={view}
              row={row}
              ramp={ramp}
              warmup={warmup}
            />
          ))}
        </tbody>
      </table>
      <div class="traces-foot in-line">
        <Dimensions store={store} view={view} />
        <p class="readout rest" data-testid="trace-readout">
          {said || <span class="quiet">Point at a trace, or use the arrow keys in it.</span>}
        </p>
      </div>
    </section>
  );
}

interface RowProps {
  store: Store;
  view: View;
  row: Traced;
  ramp: Ramp;
  /** Steps of warm-up in the traces. */
  warmup: number;
}

function Row({ store, view, row, ramp, warmup }: RowProps) {
  const { quantity: q, trace } = row;
  const { picture } = view.answer;
  const worst =
    q.rhat !== null && q.name === `s_${picture?.worst_dimension}` && !/worst/.test(q.label);
  return (
    <tr class="trace" data-testid="trace" data-name={q.name}>
      <th scope="row" class="trace-name">
        {subscript(q.label)}
        {worst && <small>, worst of {picture?.dimensions}</small>}
      </th>
      <td class="trace-plot">
        <Plot store={store} view={view} row={row} ramp={ramp} warmup={warmup} />
      </td>
      <td class="trace-acf">
        <Autocorrelation quantity={q} width={118} />
      </td>
      <td class="trace-rhat">
        <RhatPath quantity={q} width={52} />
      </td>
      <Cells q={q} name={trace.name} />
    </tr>
  );
}

const Cells = memo(function Cells({ q }: { q: Quantity; name: string }) {
  const values = { rhat: q.rhat, "ess-bulk": q.ess_bulk, "ess-tail": q.ess_tail, mcse: q.mcse };
  const texts = cellsOf(q);
  return (
    <>
      {Object.entries(values).map(([name, value], i) => (
        <td
          key={name}
          class={`figure ink2 t12 nowrap ${i ? "" : `now ${isLarge(q) ? "bad" : ""}`}`}
          data-title={HEADS[i]}
          data-testid={name}
          data-value={value ?? undefined}
        >
          {texts[i]}
        </td>
      ))}
    </>
  );
});

/** Steps of warm-up that are in the traces; some quantities have none. */
export const warmupOf = (rows: readonly Traced[]) =>
  Math.max(0, ...rows.map((row) => row.trace.warmup));

/** How many steps a plot has room for, and which share of the draws to keep is there. */
export function roomOf(view: View, trace: Trace, warmup: number): { room: number; share: number } {
  const run = runOf(view);
  const kept = Math.max(0, sizes(unpack(trace.lines))[1] - trace.warmup);
  // Both labels are drawn in one run, one after the other.
  const steps = run.total / (view.answer.picture?.other ? 2 : 1);
  const room = Math.max(warmup + kept, 1, run.running ? steps : 0);
  return { room, share: run.running ? kept / Math.max(1, room - warmup) : 1 };
}

function Plot({ store, view, row, ramp, warmup }: RowProps) {
  const { trace, quantity } = row;
  const { traced, place } = view;
  const run = runOf(view);
  const box = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidth(box, 400);
  const [focused, setFocused] = useState(false);
  const chains = run.chains || view.inputs.chains;
  const height = plotHeight(traced, chains);
  const { room, share } = roomOf(view, trace, warmup);
  const drawn = trace.lines.data !== "";
  const g: PlotGeometry = useMemo(
    () => (drawn ? { width, height, room, warmup } : { width, height, room: 5, warmup: 1 }),
    [width, height, room, warmup, drawn],
  );
  const [, columns] = sizes(unpack(traced === "lines" ? trace.lines : trace.strips));
  const name = trace.name;
  return (
    <div
      ref={box}
      class="plot-box"
      role="slider"
      tabIndex={0}
      aria-label={quantityLabel(quantity, chains)}
      aria-valuemin={1}
      aria-valuemax={Math.max(1, columns)}
      aria-valuenow={Math.min((place?.column ?? 0) + 1, Math.max(1, columns))}
      aria-valuetext={place ? placeText(trace, place, traced, warmup) : "no draw pointed at"}
      data-testid="trace-plot"
      style={{ height: `${height}px` }}
      onKeyDown={(event) => {
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        const next = placeToward(trace, traced, g, store.view.place, event.key);
        if (!next) return;
        store.point(name, next);
        event.preventDefault();
      }}
      onFocus={() => {
        setFocused(true);
        if (store.view.place) store.point(name, store.view.place);
      }}
      onBlur={() => {
        setFocused(false);
        store.point("", null);
      }}
      onPointerMove={(event) => {
        const area = svg.current!.getBoundingClientRect();
        const [x, y] = [event.clientX - area.left, event.clientY - area.top];
        store.point(name, placeAt(trace, traced, g, share, x, y));
      }}
      onPointerLeave={() => {
        if (!focused) store.point("", null);
      }}
    >
      {traced === "all" && <Heat trace={trace} g={g} share={share} ramp={ramp} />}
      <svg ref={svg} class="drawing over-all" width={width} height={height} role="presentation">
        {traced === "lines" &&
          (drawn ? (
            <Lines trace={trace} g={g} />
          ) : (
            <>
              <WarmUp g={g} x={lineScales(trace, g).x} />
              <path class="hair" d={`M0 ${height / 2}H${width}`} />
            </>
          ))}
        {place && <Marked trace={trace} traced={traced} g={g} share={share} place={place} />}
      </svg>
    </div>
  );
}
