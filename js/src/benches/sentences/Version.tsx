import type { PairRow } from "../../generated/sentences";
import { piecesOf } from "./pieces";

/** One version of a pair, with what differs from the other marked. */
export function Version({ pair, side }: { pair: PairRow; side: 0 | 1 }) {
  const tone = pair.groups[side] === 1 ? "c2" : "c1";
  return (
    <span class="version" dir="auto">
      {piecesOf(pair, side).map(({ text, role }, i) =>
        role === "same" ? (
          text
        ) : (
          <mark key={i} class={`v-${role} ${tone}`}>
            {text}
          </mark>
        ),
      )}
    </span>
  );
}
