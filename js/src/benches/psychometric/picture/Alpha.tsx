import type { RefObject } from "preact";
import { type Anchor, type Box, boxOf, lineAround, overlap, within } from "../../../lib/boxes";
import { Handle } from "../../../lib/chart/Handle";
import { count, percent } from "../../../lib/format";
import { handleKey, SHARE } from "../../../lib/keys";
import { clamp, linear, type Scale } from "../../../lib/scale";
import { textWidth } from "../../../lib/textwidth";
import { type AnswerCount, answersAt } from "../answers";
import { cueNames } from "../Header";
import type { Geometry } from "../layout";
import type { Store, View } from "../store";
import type { Arranged } from "./arranged";

interface Props {
  g: Geometry;
  x: Scale;
  rows: Arranged;
  total: number;
  store: Store;
  view: View;
  svg: RefObject<SVGSVGElement | null>;
  boxes: readonly Box[];
}

const PILL = 76;

interface GuideProps {
  g: Geometry;
  x: Scale;
  alpha: number;
  /** Where words stand. */
  boxes: readonly Box[];
}

/** From the handle up through the rows, drawn under every number and around the curve's labels. */
export function Guide({ g, x, alpha, boxes }: GuideProps) {
  const at = x(alpha);
  if (at < g.left - 0.5 || at > g.right + 0.5) return null;
  return (
    <path
      class="guide"
      d={lineAround(at, g.top, g.axisY - 11, boxes)}
      data-testid="alpha-guide"
      data-x={at}
    />
  );
}

/** The stimulus: handle, guide line and the dot where it meets the answers. Moves in one frame. */
export function Alpha({ g, x, rows, total, store, view, svg, boxes }: Props) {
  const { alpha } = view.inputs;
  const picture = view.answer.picture;
  const noise = picture?.row_noise ?? 0;
  const at = clamp(x(alpha), g.left, g.right);
  // A fitted axis may leave the stimulus outside: the handle waits at the end, with an arrow.
  const [low, high] = x.domain;
  const shown = low <= alpha && alpha <= high;
  const steps = x.domain[1] - x.domain[0] < 0.3 ? 1e4 : 1e3;
  const digits = x.domain[1] - x.domain[0] < 0.3 ? 1 : 0;
  const pill = clamp(at, PILL / 2 + 1, g.width - PILL / 2 - 1);
  const axis = { x: g.left - 8, y: g.axisY - 12, width: g.right - g.left + 16, height: 24 };
  const n = rows.all.length;
  const answers = answersAt(rows.all, noise, alpha, rows.graded);
  const pse = picture?.pse_at === "at" ? picture.pse : null;

  return (
    <g class="alpha">
      {n > 0 && shown && (
        <Dot
          g={g}
          at={at}
          answers={answers}
          n={n}
          total={total}
          expected={noise > 0 || rows.graded !== null}
          cues={cueNames(view)}
          boxes={boxes}
        />
      )}
      <g>
        <rect class="pill" x={pill - PILL / 2} y={g.pillY - 11} width={PILL} height={22} rx={5} />
        <text
          class="t12 bold on-accent"
          x={pill}
          y={g.pillY + 4}
          text-anchor="middle"
          data-testid="alpha-value"
          data-value={alpha}
        >
          {alpha < low ? "← " : ""}α = {percent(alpha, digits)}
          {alpha > high ? " →" : ""}
        </text>
      </g>
      <Handle
        svg={svg}
        x={at}
        y={g.axisY}
        get={() => store.view.inputs.alpha}
        set={(to) => store.set({ alpha: to })}
        at={(px) => Math.round(clamp(x.invert(px), 0, 1) * steps) / steps}
        move={(event) => handleKey(event, store.view.inputs.alpha, SHARE, { n: 0.5, p: pse })}
        onStep={(by) => store.step(by)}
        onDrag={(dragging) => {
          store.drag(dragging);
          if (dragging) store.hover(null);
        }}
        onFocused={(focused) => store.focusHandle(focused)}
        label="Stimulus"
        value={{ min: 0, now: alpha, max: 1, text: inWords(view, answers.cue1, answers.cue2, n) }}
        hits={[
          { look: "axis-hit", ...axis },
          { look: "guide-hit", x: at - 5, y: g.top, width: 10, height: axis.y - g.top },
        ]}
        data-testid="alpha-handle"
      />
    </g>
  );
}

interface DotProps {
  g: Geometry;
  at: number;
  answers: AnswerCount;
  n: number;
  total: number;
  /** Counts are sums of probabilities. */
  expected: boolean;
  cues: [string, string];
  boxes: readonly Box[];
}

/** Where the guide line meets the edge of the two tints, with the count of answers. */
function Dot({ g, at, answers, n, total, expected, cues, boxes }: DotProps) {
  const { cue2, share } = answers;
  const y = linear([0, Math.max(1, total)], [g.bottom, g.top])(cue2);
  const whole =
    n === 1 && !expected
      ? `answers ${cues[cue2]}`
      : `${count(cue2)} of ${n}${expected ? " expected" : ""}, ${percent(share)}`;
  const room = Math.max(at - g.left, g.right - at) - 14;
  const text = textWidth(whole, 12, true) <= room ? whole : percent(share);
  const { anchor, dy } = besideDot(g, at, y, share, textWidth(text, 12, true), boxes);
  const fitsLeft = anchor === "end";
  return (
    <g>
      <text
        class={`t12 bold accent ${fitsLeft ? "halo1" : "halo2"}`}
        x={fitsLeft ? at - 11 : at + 11}
        y={y + dy}
        text-anchor={fitsLeft ? "end" : "start"}
        data-testid="alpha-answers"
      >
        {text}
      </text>
      <circle class="dot" cx={at} cy={y} r={5} />
    </g>
  );
}

/** On the side and at the height that are clear of the curve's labels. */
export function besideDot(
  g: Geometry,
  at: number,
  y: number,
  share: number,
  width: number,
  boxes: readonly Box[],
): { anchor: Anchor; dy: number } {
  // Clear of the dotted line at 50 % and of the plot's edges.
  const dy = share > 0.97 ? 16 : share < 0.03 ? -8 : Math.abs(share - 0.5) < 0.03 ? -8 : 4;
  const anchors: Anchor[] = at - 14 - width > g.left ? ["end", "start"] : ["start", "end"];
  const places = [dy, -16, 26, -34].flatMap((dy) => anchors.map((anchor) => ({ anchor, dy })));
  const boxAt = ({ anchor, dy }: (typeof places)[number]) =>
    boxOf(at + (anchor === "end" ? -11 : 11), y + dy, width, anchor);
  const inside = places.filter((place) => within(boxAt(place), g));
  const free = inside.find((place) => !boxes.some((other) => overlap(boxAt(place), other)));
  return free ?? inside[0] ?? { anchor: anchors[0]!, dy };
}

function inWords(view: View, cue1: number, cue2: number, n: number): string {
  const [name1, name2] = cueNames(view);
  const blend = `${percent(view.inputs.alpha)} ${name2}`;
  if (n === 0) return blend;
  return `${blend}: ${count(cue2)} of ${n} answer ${name2}, ${count(cue1)} answer ${name1}`;
}
