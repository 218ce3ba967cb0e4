import type { Cell } from "../../../generated/rating";
import { drawnOrder, tonesOf } from "../tones";

interface Props {
  counts: readonly number[];
  unresolved?: number;
  values: readonly string[];
}

/** Counts as a bar: what could not be read stands hollow at its end. */
export function Stack({ counts, unresolved = 0, values }: Props) {
  const tones = tonesOf(values);
  return (
    <span class="stack-bar" aria-hidden="true">
      {drawnOrder(values).map((value) =>
        counts[value] ? (
          <i key={value} class={`tone-${tones[value]}`} style={{ flexGrow: counts[value] }} />
        ) : null,
      )}
      {unresolved > 0 && <i class="tone-unread" style={{ flexGrow: unresolved }} />}
    </span>
  );
}

/** How far a cell is, before its counts are known. */
export function Track({ done, total }: Pick<Cell, "done" | "total">) {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  return (
    <span class="track" aria-hidden="true">
      <i style={{ width: `${100 * share}%` }} />
    </span>
  );
}
