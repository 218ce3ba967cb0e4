import type { Plane } from "../../generated/posterior";
import { px } from "../../lib/marks";
import { memo } from "../../lib/memo";
import { fit, textWidth, wrap } from "../../lib/textwidth";
import { outlinePath, type PlacedWord, type PlaneGeometry, TOP, wordLabels } from "./plane";

interface FrameProps {
  plane: Plane | null;
  g: PlaneGeometry;
  tones: Readonly<Record<string, 1 | 2>>;
}

/** Behind the words: where the axes cross, and the outline of each label. */
export const PlaneFrame = memo(function PlaneFrame({ plane, g, tones }: FrameProps) {
  const [x0, y0] = [g.x(0), g.y(0)];
  const across = y0 > TOP && y0 < g.height ? `M2 ${y0}H${g.width - 2}` : "";
  const up = x0 > 0 && x0 < g.width ? `M${x0} ${TOP}V${g.height - 2}` : "";
  return (
    <g>
      <path class="hair" d={across + up} />
      {plane?.outlines.map((outline) => (
        <g key={`${outline.label} ${outline.exact}`} class={`tone-${tones[outline.label] ?? 1}`}>
          {[1, 2].map((sigmas) => (
            <path
              key={sigmas}
              class={`outline ${outline.exact ? "exact" : ""}`}
              d={outlinePath(outline, sigmas, g)}
              data-testid="outline"
            />
          ))}
        </g>
      ))}
      <OutlineNames plane={plane} g={g} tones={tones} />
    </g>
  );
});

/** Each label's name over its outline; two of them stand clear of each other. */
function OutlineNames({ plane, g, tones }: FrameProps) {
  const seen = new Map((plane?.outlines ?? []).map((o) => [o.label, o]));
  const names = [...seen.values()]
    .map(({ label, centre }) => ({
      label,
      at: g.x(centre[0]),
      half: textWidth(label, 12, true) / 2,
    }))
    .sort((a, b) => a.at - b.at);
  const [one, two] = names;
  if (one && two) {
    const short = one.half + two.half + 16 - (two.at - one.at);
    if (short > 0) {
      one.at -= short / 2;
      two.at += short / 2;
    }
  }
  return (
    <>
      {names.map(({ label, at, half }) => (
        <text
          key={label}
          class={`t12 bold label-name tone-${tones[label] ?? 1}`}
          x={Math.min(Math.max(at, half + 2), g.width - half - 2)}
          y={13}
          text-anchor="middle"
        >
          {fit(label, 12, g.width / 2, true)}
        </text>
      ))}
    </>
  );
}

interface WordsProps {
  words: readonly PlacedWord[];
  g: PlaneGeometry;
  picked: string;
  /** Where the words can be picked: what their ids begin with. */
  id?: string;
  /** In print nothing tells what a mark without a name is. */
  onlyNamed?: boolean;
}

const DOT = "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z";
/** Points to where a word is that lies beyond the frame. */
const ARROW = "M5.5 0L-3.5 -4V4Z";

const option = (id: string, word: string, picked: boolean) =>
  ({ id, role: "option", "aria-selected": picked, "aria-label": word }) as const;

/** Words as dots, with the names that fit. */
export const PlaneWords = memo(function PlaneWords(props: WordsProps) {
  const { words, g, picked, id, onlyNamed } = props;
  const labels = wordLabels(words, g, picked);
  const marked = onlyNamed ? labels.map(({ index }) => words[index]!) : words;
  return (
    <g>
      {marked.map(({ word, at: [x, y], beyond }, i) => (
        <path
          key={word}
          {...(id ? option(`${id}-${i}`, word, word === picked) : {})}
          class="word-dot"
          d={beyond === null ? DOT : ARROW}
          transform={`translate(${px(x)} ${px(y)})${beyond === null ? "" : ` rotate(${px((beyond * 180) / Math.PI)})`}`}
          data-testid="plane-word"
          data-word={word}
          data-beyond={beyond === null ? undefined : ""}
        />
      ))}
      {labels.map(({ index, x, y, anchor }) => (
        <text
          key={words[index]!.word}
          class={`t12 halo ${words[index]!.word === picked ? "bold" : ""}`}
          x={x}
          y={y}
          text-anchor={anchor}
        >
          {words[index]!.word}
        </text>
      ))}
    </g>
  );
});

/** Ring and name of the picked word and of the one that is pointed at. */
export function PlaneMarks({
  words,
  g,
  ...now
}: {
  words: readonly PlacedWord[];
  g: PlaneGeometry;
  picked: string;
  hovered: string | null;
}) {
  const picked = words.find((w) => w.word === now.picked);
  const hovered = words.find((w) => w.word === now.hovered && w !== picked);
  return (
    <g>
      {picked && (
        <circle
          class="ring picked"
          cx={picked.at[0]}
          cy={picked.at[1]}
          r={8}
          data-testid="picked-ring"
        />
      )}
      {hovered && (
        <g data-screen-only="">
          <circle class="ring" cx={hovered.at[0]} cy={hovered.at[1]} r={7} />
          <text
            class="t12 bold halo"
            x={hovered.at[0] + (hovered.at[0] > g.width / 2 ? -11 : 11)}
            y={hovered.at[1] + 4}
            text-anchor={hovered.at[0] > g.width / 2 ? "end" : "start"}
          >
            {hovered.word}
          </text>
        </g>
      )}
    </g>
  );
}

/** Names of the axes at their ends. */
export function AxisNames({ plane, g }: { plane: Plane | null; g: PlaneGeometry }) {
  return (
    <g>
      {wrap(plane?.axis_labels[1] ?? "", 11, g.width / 2).map((line, i) => (
        <text key={line} class="t11 ink3 halo" x={2} y={TOP + 10 + 14 * i}>
          {line}
        </text>
      ))}
      <text class="t11 ink3 halo" x={g.width - 2} y={g.height - 2} text-anchor="end">
        {fit(plane?.axis_labels[0] ?? "", 11, g.width - 20)}
      </text>
    </g>
  );
}
