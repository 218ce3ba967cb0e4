import type { Contrast, Measure, Picture, Ranking } from "../../generated/occupations";
import { fixed, points } from "../../lib/format";
import { clamp, type Scale } from "../../lib/scale";
import { Term } from "../../lib/ui/Term";
import { type Geometry, ROW } from "./layout";
import { addressOf, openWord } from "./open";
import { contrastsOf, type Store, type View } from "./store";
import { leanText, pairRange, rangeText, valueText } from "./texts";

const WIDTH = 218;

interface Props {
  store: Store;
  view: View;
  index: number;
  g: Geometry;
  scale: Scale;
  /** Top of the word's row, from the top of the plot. */
  top: number;
  plotHeight: number;
}

/**
 * All that is known about one word, above or below its row and on the emptier side of the axis.
 *
 * While it only follows the hand it lets the pointer through; held, it has buttons.
 */
export function Card({ store, view, index, g, scale, top, plotHeight }: Props) {
  const picture = view.answer.picture!;
  const contrasts = contrastsOf(view);
  const held = view.held === index;
  const value = contrasts[0]?.[view.inputs.measure].value[index];
  const middle = (scale.range[0] + scale.range[1]) / 2;
  const toRight = typeof value !== "number" || scale(value) < middle;
  const narrow = g.narrow;
  const left = narrow
    ? (g.width - WIDTH) / 2
    : toRight
      ? Math.min(g.plots.at(-1)!.right - WIDTH + 8, middle + 24)
      : Math.max(g.plots[0]!.left - 8, middle - 24 - WIDTH);
  const below = top < plotHeight / 2;
  const place = below ? { top: `${top + ROW + 4}px` } : { bottom: `calc(100% - ${top - 4}px)` };
  const outside = picture.outside[index];
  return (
    <div
      class={`card ${held ? "held" : ""}`}
      style={{ left: `${clamp(left, 0, Math.max(0, g.width - WIDTH))}px`, ...place }}
      data-testid="card"
      data-index={index}
    >
      <h3>{picture.words[index]}</h3>
      {contrasts.map((contrast, i) => (
        <Numbers
          key={i}
          contrast={contrast}
          index={index}
          level={picture.interval_level}
          named={contrasts.length > 1}
        />
      ))}
      {contrasts.length > 1 && picture.ranking && (
        <p class="card-order">{rankingText(picture, picture.ranking, index)}</p>
      )}
      {outside !== undefined && outside !== null && (
        <dl>
          <dt>{picture.outside_label || "outside"}</dt>
          <dd>{outsideText(outside)}</dd>
        </dl>
      )}
      {held ? (
        <OpenButton store={store} view={view} index={index} />
      ) : (
        <p class="card-hint">Enter: open its curve</p>
      )}
    </div>
  );
}

function rankingText(picture: Picture, ranking: Ranking, index: number): string {
  const order = ranking.order[index] ?? [];
  const share = ranking.first[index]?.[order[0] ?? 0];
  const first = share === undefined ? "" : `; first in ${points(share)} %`;
  return `${order.map((group) => picture.groups[group]).join(" › ")}${first}`;
}

const outsideText = (value: number) => fixed(value, Number.isInteger(value) ? 0 : 1);

interface NumbersProps {
  contrast: Contrast;
  index: number;
  level: number;
  named: boolean;
}

function Numbers({ contrast, index, level, named }: NumbersProps) {
  const { n, missing, low, high } = pairRange(contrast.pse.points[index] ?? []);
  const sd = contrast.pair_sd[index];
  const lean = contrast.lean[index] ?? 2;
  const look = lean === 1 ? "g1" : lean === -1 ? "g2" : "quiet";
  if (named) {
    return (
      <dl>
        <dt>
          {contrast.group_1} to {contrast.group_2}
        </dt>
        <dd>{numberText(contrast.pse, index)}</dd>
        <dt class={`lean ${look}`}>{leanText(contrast, index)}</dt>
      </dl>
    );
  }
  return (
    <dl>
      <dt class={`lean ${look}`}>{leanText(contrast, index)}</dt>
      <dt>
        <Term name="PSE" />
      </dt>
      <dd>{numberText(contrast.pse, index)}</dd>
      {n > 1 && Number.isFinite(low) && (
        <>
          <dt>pairs, range</dt>
          <dd>
            {points(low)} to {points(high)} %
          </dd>
        </>
      )}
      {n > 1 && typeof sd === "number" && (
        <>
          <dt>σ over pairs</dt>
          <dd>{points(sd, 1)}</dd>
        </>
      )}
      <dt>
        <Term name="JND" />
      </dt>
      <dd>{numberText(contrast.jnd, index)}</dd>
      <dt>intervals</dt>
      <dd class="plain">{Math.round(level * 100)} %</dd>
      {missing > 0 && (
        <>
          <dt>left out</dt>
          <dd>
            {missing} of {n} pairs
          </dd>
        </>
      )}
      {contrast.reason[index] && <dt class="lean quiet">{contrast.reason[index]}</dt>}
    </dl>
  );
}

function numberText(measure: Measure, i: number): string {
  const value = valueText(measure, i);
  const range = rangeText(measure, i);
  if (value === "–") return "–";
  return range ? `${value} % (${range})` : `${value} %`;
}

/** A link where the psychometric bench has an address, a button where it is a widget. */
function OpenButton({ store, view, index }: { store: Store; view: View; index: number }) {
  const word = view.answer.picture!.words[index]!;
  const address = addressOf(view, word);
  if (address) {
    return (
      <a class="button open-link" href={address} data-testid="open-word">
        Open its curve
      </a>
    );
  }
  return (
    <button
      type="button"
      class="button open-link"
      data-testid="open-word"
      onClick={() => openWord(store, view, index)}
    >
      Open its curve
    </button>
  );
}
