import type { CaseCard } from "../../generated/decisions";
import { whole } from "../../lib/format";
import { memo } from "../../lib/memo";
import { type Scale, tickStep, ticks } from "../../lib/scale";
import { textWidth } from "../../lib/textwidth";
import { type Geometry, LEVEL_GAP } from "./layout";
import { isAlone, type View } from "./store";
import { capital, levelText } from "./texts";

/** What is there before any data: strips, levels, and the neutral 50 with its name. */
export function Frame({ g, view }: { g: Geometry; view: View }) {
  const alone = isAlone(view);
  const { card } = view;
  const second = card.groups[1]?.name ?? "";
  const counts = view.answer.picture?.counts;
  const neither = counts
    ? counts.cannot_say + counts.refused + counts.unreadable + counts.other_language
    : 0;
  const room = g.right - g.left;
  const half = alone ? `half are ${card.outcome}` : "both are chosen as often";
  const note = [`PSE: point of subjective equality, ${half}`, `PSE: ${half}`];
  const beside = (y: number, n: number, what: string) =>
    g.narrow ? null : (
      <text class="t12" x={g.right + 8} y={y}>
        <tspan class="bold">{whole(n)}</tspan>
        <tspan class="t11 ink2" x={g.right + 8} dy={14}>
          {what}
        </tspan>
      </text>
    );
  return (
    <g>
      <text class="t12 ink2" x={0} y={12}>
        {alone ? `${capital(card.outcome)}, %` : `${second} chosen, %`}
      </text>
      <text class="t11 ink3" x={g.right} y={g.narrow ? 30 : 12} text-anchor="end">
        {note.find((text) => textWidth(text, 11) <= g.right) ?? note[1]}
      </text>
      <rect class="strip" x={g.left} y={g.stripTop} width={room} height={g.top - g.stripTop} />
      <rect class="strip" x={g.left} y={g.bottom} width={room} height={g.stripBottom - g.bottom} />
      {[0, 25, 50, 75, 100].map((level) => {
        const y = g.bottom - (level / 100) * (g.bottom - g.top);
        return (
          <g key={level}>
            <line
              class={level === 50 ? "neutral-line" : "hair"}
              x1={g.left}
              x2={g.right}
              y1={y}
              y2={y}
            />
            <text
              class={level === 50 ? "t11 bold" : "t11 ink2"}
              x={g.left - LEVEL_GAP}
              y={y + 4}
              text-anchor="end"
            >
              {level}
            </text>
          </g>
        );
      })}
      {beside(g.stripTop + 30, counts?.yes ?? 0, alone ? answerOf(card, 0) : someOf(card, 1))}
      {beside(g.bottom + 20, counts?.no ?? 0, alone ? answerOf(card, 1) : someOf(card, 0))}
      {!g.narrow && (
        <text class="t12" x={g.right + 8} y={g.laneY + 4}>
          <tspan class="bold">{whole(neither)}</tspan>
          <tspan class="t11 ink2"> neither</tspan>
        </text>
      )}
    </g>
  );
}

/** "invited", "not invited"; an answer that is no command stands for itself: "positive". */
function answerOf({ outcome, answers }: CaseCard, at: 0 | 1): string {
  const answer = answers[at] ?? "";
  if (/^[a-z]/.test(answer)) return answer;
  const short = outcome.split(" ")[0]!;
  return at === 0 ? short : `not ${short}`;
}

/** A group by its first cue: "Lakisha …". */
const someOf = ({ groups }: CaseCard, group: 0 | 1): string => {
  const [first, second] = groups[group]?.cues ?? [];
  const short = [...(first?.text ?? "")].slice(0, 9).join("");
  return second || short !== first?.text ? `${short} …` : short;
};

interface AxisProps {
  g: Geometry;
  x: Scale;
  card: CaseCard;
  alone: boolean;
}

/** The axis in the unit of the case. */
export const Axis = memo(function Axis({ g, x, card, alone }: AxisProps) {
  const major = tickStep(card.low, card.high, g.narrow ? 5 : 9);
  const y = g.axisY;
  const label = alone
    ? `${card.quality} in the case`
    : g.narrow
      ? `difference in ${card.quality}`
      : `difference in ${card.quality}: ${card.groups[1]?.name ?? ""} minus ${card.groups[0]?.name ?? ""}`;
  return (
    <g>
      <rect class="axis-bar" x={g.left} y={y - 3} width={g.right - g.left} height={6} rx={3} />
      {ticks(card.low, card.high, major).map((tick) => (
        <g key={tick}>
          <line class="tick" x1={x(tick)} x2={x(tick)} y1={y + 8} y2={y + 13} />
          <text class="t11 ink2" x={x(tick)} y={y + 25} text-anchor="middle">
            {!alone && tick > 0 ? "+" : ""}
            {levelText(tick)}
          </text>
        </g>
      ))}
      <text class="t12 ink2" x={(g.left + g.right) / 2} y={y + 43} text-anchor="middle">
        {label}
      </text>
    </g>
  );
});
