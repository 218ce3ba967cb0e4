import type { Curve } from "../../generated/decisions";
import { type Anchor, around, boxOf, lineAround } from "../../lib/boxes";
import { percent } from "../../lib/format";
import { clamp, type Scale } from "../../lib/scale";
import { textWidth } from "../../lib/textwidth";
import { basesOf, besideHandle, doRise, type Name, type PointLabel, type Words } from "./labels";
import type { Geometry } from "./layout";
import { bandPath, linePath, shareAt } from "./paths";
import { isAlone, type View } from "./store";

interface Props {
  g: Geometry;
  x: Scale;
  y: Scale;
  view: View;
  words: Words;
}

/** A curve for each group with its band and name, and the point where half are accepted. */
export function Curves({ g, x, y, view, words }: Props) {
  const { picture } = view.answer;
  if (!picture || picture.curves.length === 0) return null;
  const alone = isAlone(view);
  const { levels, curves } = picture;
  const share = flatShare(curves);
  return (
    <g>
      {curves.map((curve, i) => (
        <path
          key={i}
          class={alone ? `curve-band b${i + 1}` : "curve-band"}
          d={bandPath(levels, curve, x, y)}
        />
      ))}
      {curves.map((curve, i) => (
        <path
          key={i}
          class={alone ? `curve c${i + 1}` : "curve"}
          data-testid={`curve-${i + 1}`}
          d={linePath(levels, curve.share, x, y)}
          stroke-dasharray={share !== null && i === 1 ? "12 12" : undefined}
        />
      ))}
      <Names names={words.names} />
      {words.points.map((label) => (
        <Point key={label.curve} g={g} x={x} y={y} view={view} label={label} words={words} />
      ))}
      <Beyond g={g} x={x} y={y} view={view} />
    </g>
  );
}

/** The share at which both lines are flat, where one would hide the other; else null. */
const flatShare = ([one, two]: readonly Curve[]) =>
  one?.beyond && two?.beyond && one.share[0] === two.share[0] ? one.share[0]! : null;

function Names({ names }: { names: readonly Name[] }) {
  return (
    <>
      {names.map((name) => (
        <text
          key={name.curve}
          class={`t12 bold fg${name.curve + 1} halo`}
          text-anchor={name.anchor}
          data-testid={`name-${name.curve + 1}`}
        >
          {basesOf(name).map((base, k) => (
            <tspan key={base} x={name.at} y={base}>
              {name.lines[k]}
            </tspan>
          ))}
        </text>
      ))}
    </>
  );
}

/**
 * At the flat line of a group that answers alike at every level: where its point lies. It stands at
 * the end of the line from which another group's curve stays away.
 */
function Beyond({ g, x, y, view }: Omit<Props, "words">) {
  return (
    <>
      {placeBeyond(g, x, y, view).map(({ curve, at, base, text, anchor }) => (
        <text
          key={curve}
          class={`t12 bold halo ${isAlone(view) ? `fg${curve + 1}` : ""}`}
          data-testid={`beyond-${curve + 1}`}
          x={at}
          y={base}
          text-anchor={anchor}
        >
          {text}
        </text>
      ))}
    </>
  );
}

function placeBeyond(g: Geometry, x: Scale, y: Scale, view: View) {
  const { curves = [], names = [] } = view.answer.picture ?? {};
  const rises = doRise(curves);
  const flat = curves.map((curve, at) => ({ ...curve, at })).filter((curve) => curve.beyond);
  return flat.map(({ at: curve, beyond, share }, row) => {
    const high = (share[0] ?? 0) >= 0.5;
    const left = high === rises;
    const text = `${g.narrow || !isAlone(view) ? "" : `${names[curve] ?? ""}: `}${beyond}`;
    const at = x(left ? view.card.low : view.card.high);
    const base = y(share[0] ?? 0) + (high ? 20 + 16 * row : -10 - 16 * row);
    const anchor: Anchor = left ? "start" : "end";
    return {
      curve,
      text,
      at,
      base,
      anchor,
      box: boxOf(at, base, textWidth(text, 12, true), anchor),
    };
  });
}

interface PointProps {
  g: Geometry;
  x: Scale;
  y: Scale;
  view: View;
  label: PointLabel;
  words: Words;
}

/** Where half are accepted: a hollow mark, its number, and a line down to the gap. */
function Point({ g, x, y, view, label, words }: PointProps) {
  const alone = isAlone(view);
  const { curve, value } = label;
  const px = x(value);
  const tone = alone ? `p${curve + 1}` : "p0";
  return (
    <g data-testid={`pse-${curve + 1}`} data-value={value}>
      <path class={`down ${tone}`} d={lineAround(px, y(0.5), g.gapY, words.gap?.boxes ?? [])} />
      <text
        class={`t12 bold halo ${alone ? `fg${curve + 1}` : ""}`}
        x={label.at}
        y={label.y}
        text-anchor={label.anchor}
      >
        {label.text}
      </text>
      {alone && curve === 1 ? (
        <rect class={`point ${tone}`} x={px - 5} y={y(0.5) - 5} width={10} height={10} />
      ) : (
        <circle class={`point ${tone}`} cx={px} cy={y(0.5)} r={5.5} />
      )}
    </g>
  );
}

interface GuideProps {
  g: Geometry;
  x: Scale;
  view: View;
  words: Words;
}

/** From the handle up through the plot, drawn under every mark and around the words. */
export function Guide({ g, x, view, words }: GuideProps) {
  const px = x(clamp(view.inputs.x, view.card.low, view.card.high));
  const boxes = [...words.names, ...words.points].map(({ box }) => box);
  return (
    <path
      class="guide"
      d={lineAround(px, g.stripTop, g.axisY - 10, [...boxes, ...(words.gap?.boxes ?? [])])}
      data-testid="x-guide"
      data-x={px}
    />
  );
}

/** Where the handle's level meets the curves. */
export function AtHandle({ g, x, y, view, words }: Props) {
  const { picture } = view.answer;
  const level = clamp(view.inputs.x, view.card.low, view.card.high);
  const px = x(level);
  const alone = isAlone(view);
  const shares = (picture?.curves ?? []).map((curve) =>
    curve.share.length > 0 ? shareAt(picture!.levels, curve, level).value : null,
  );
  const higher = (shares[0] ?? 0) >= (shares[1] ?? 0) ? 0 : 1;
  const isOne = flatShare(picture?.curves ?? []) !== null;
  const taken = [
    ...[...words.names, ...words.points].map(({ box }) => box),
    ...words.points.map(({ value }) => around({ x: x(value), y: y(0.5) }, 7)),
    ...placeBeyond(g, x, y, view).map(({ box }) => box),
  ];
  const shown = shares.flatMap((share, i) => {
    if (share === null) return [];
    const above = shares.length === 1 || i === higher;
    const text = above || !isOne ? percent(share) : "";
    return [{ i, above, text, y: y(share), width: textWidth(text, 12, true) }];
  });
  const labels = besideHandle(g, px, shown, taken);
  return (
    <g>
      {shown.map(({ i, text, y }, k) => (
        <g key={i}>
          {text && (
            <text
              class="t12 bold accent-fill halo"
              x={labels[k]!.at}
              y={labels[k]!.y}
              text-anchor={labels[k]!.anchor}
            >
              {text}
            </text>
          )}
          {alone && i === 1 ? (
            <rect class="dot" x={px - 5} y={y - 5} width={10} height={10} />
          ) : (
            <circle class="dot" cx={px} cy={y} r={5} />
          )}
        </g>
      ))}
    </g>
  );
}
