import { useRef } from "preact/hooks";
import type { Power } from "../../../generated/rating";
import { percent } from "../../../lib/format";
import { useWidth } from "../../../lib/hooks";
import { px } from "../../../lib/marks";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { Axes } from "../numbers/Axes";
import { type Chart, chartOf, lineOf, spread } from "../numbers/chart";
import type { Store, View } from "../store";
import { whole } from "../texts";

interface Props {
  store: Store;
  view: View;
}

/** How many texts a rating needs: a simulation, and the size that it recommends. */
export function PowerCard({ store, view }: Props) {
  const { recommended } = view.power.state === "ready" ? view.power : view.plan;
  return (
    <Disclosure
      label="Texts that a rating needs"
      text={recommended > 0 ? `${whole(recommended)} texts needed` : "How many texts?"}
      testid="power"
      class="card wide-card right-card"
    >
      {() => <PowerBody store={store} view={view} />}
    </Disclosure>
  );
}

/** The share of experiments that are to show the true rating. */
const AIM = 0.95;

function PowerBody({ store, view }: Props) {
  const { power, inputs } = view;
  const { state, message, recommended } = power;
  const running = state === "running";
  return (
    <div class="stack" data-testid="power-body" data-state={state}>
      <p class="quiet">
        Services whose rating is known are simulated under this design and these rules: how often is
        the true rating of each shown? A rating that stays open is not shown.
      </p>
      {power.points.length > 0 && <PowerChart power={power} texts={inputs.texts} />}
      <p role={state === "error" ? "alert" : undefined} class={state === "error" ? "bad" : "quiet"}>
        {message}
      </p>
      <div class="presets wrap-row">
        <button
          type="button"
          class={`button ${power.points.length === 0 ? "primary" : ""}`}
          data-testid={running ? "power-stop" : "power-make"}
          onClick={() => void store.command(running ? "power-stop" : "power")}
        >
          {running ? "Stop" : power.points.length > 0 ? "Simulate again" : "Simulate"}
        </button>
        {recommended > 0 && (
          <button
            type="button"
            class="button"
            data-testid="use-recommended"
            disabled={inputs.texts === recommended}
            onClick={() => store.set({ texts: recommended })}
          >
            Use {whole(recommended)} texts per block
          </button>
        )}
      </div>
    </div>
  );
}

const MOST_WIDTH = 430;

export function PowerChart({ power, texts }: { power: Power; texts: number }) {
  const place = useRef<HTMLDivElement>(null);
  const width = Math.min(useWidth(place, MOST_WIDTH), MOST_WIDTH);
  const { points, services, recommended } = power;
  const sizes = points.map((point) => point.texts);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  // Doubled is as far as doubled again.
  const chart = chartOf(width, [Math.log(least), Math.log(Math.max(most, least + 1))], 96, 190);
  const at = (size: number) => px(chart.x(Math.log(size)));
  const last = points.at(-1);
  const ends = spread(
    services.map((_, i) => chart.y(last?.shares[i]?.[0] ?? 0)),
    13,
    chart.top,
    chart.bottom,
  );
  return (
    <div ref={place}>
      <svg
        class="drawing power-chart"
        width={width}
        height={190}
        role="img"
        aria-label={powerSaid(power)}
        data-testid="power-chart"
        data-recommended={recommended}
      >
        <Axes
          chart={chart}
          shares={[0, 0.5, AIM]}
          neutral={AIM}
          ticks={thinned(sizes).map(Math.log)}
          text={(v) => whole(Math.exp(v))}
          title="texts per block"
        />
        <text class="t11 ink2" x={0} y={8}>
          shown, %
        </text>
        {recommended > 0 && (
          <Upright chart={chart} x={at(recommended)} text={`${recommended} needed`} />
        )}
        {texts !== recommended && texts >= least && texts <= most && (
          <path class="guide" d={`M${at(texts)} ${chart.top}V${chart.bottom}`} />
        )}
        {services.map((service, i) => {
          const own = points.flatMap((point): [number, number][] => {
            const share = point.shares[i];
            return share ? [[Math.log(point.texts), share[0]]] : [];
          });
          return (
            <g key={service} data-testid="power-line" data-service={service}>
              <path class={`power-line p${i % 5}`} d={lineOf(own, chart)} />
              {points.map((point) => {
                const share = point.shares[i];
                return (
                  share && (
                    <path
                      key={point.texts}
                      class="whisker thin"
                      d={`M${at(point.texts)} ${px(chart.y(share[1]))}V${px(chart.y(share[2]))}`}
                    />
                  )
                );
              })}
              <text class="t11 ink2" x={chart.right + 7} y={px((ends[i] ?? 0) + 4)}>
                {service}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

function Upright({ chart, x, text }: { chart: Chart; x: number; text: string }) {
  return (
    <g>
      <path class="dotted" d={`M${x} ${chart.top}V${chart.bottom}`} />
      <text class="t11 bold halo" x={x + 5} y={chart.bottom - 6}>
        {text}
      </text>
    </g>
  );
}

/** At most six labels, from the first to the last. */
function thinned(sizes: readonly number[]): number[] {
  const step = Math.ceil(sizes.length / 6) || 1;
  return sizes.filter((_, i) => (sizes.length - 1 - i) % step === 0);
}

function powerSaid({ points, services, recommended }: Power): string {
  const last = points.at(-1);
  const each = services.map((name, i) => `${name} ${percent(last?.shares[i]?.[0] ?? 0)}`);
  const needed = recommended > 0 ? `${recommended} texts per block are needed. ` : "";
  return `${needed}With ${last?.texts ?? 0} texts per block the true rating is shown: ${each.join(", ")}`;
}
