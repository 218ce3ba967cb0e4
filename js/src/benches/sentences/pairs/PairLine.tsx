import type { PairRow } from "../../../generated/sentences";
import { memo } from "../../../lib/memo";
import type { Store } from "../store";
import { Version } from "../Version";
import { VersionEditor } from "../VersionEditor";
import type { Side } from "./listing";

interface Props {
  store: Store;
  pair: PairRow;
  id: string;
  index: number;
  /** The cell that the keys are on. */
  active: Side | null;
  editing: Side | null;
  onEdit: (pair: string, side: Side | null) => void;
}

const SIDES = ["stereotyped", "against"] as const;

/** One pair: both versions, a press on either edits it; where it is from; a way to take it out. */
export const PairLine = memo(function PairLine(props: Props) {
  const { store, pair, id, active, editing, onEdit } = props;
  const from = pair.edited ? "edited" : pair.source;
  return (
    <div
      class={`pair-line ${active ? "now" : ""}`}
      role="row"
      tabIndex={-1}
      aria-rowindex={props.index + 1}
      data-testid="pair"
      data-pair={pair.id}
    >
      {SIDES.map((side, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the table takes the keys
        <div
          key={side}
          id={`${id}-${pair.id}-${side}`}
          class={`cell ${active === side ? "active" : ""} ${editing === side ? "editing" : ""}`}
          role="gridcell"
          tabIndex={-1}
          data-testid={side}
          onClick={() => editing !== side && onEdit(pair.id, side)}
        >
          {editing === side ? (
            <VersionEditor
              store={store}
              pair={pair.id}
              version={side}
              text={pair[side]}
              label={side === "stereotyped" ? "Stereotyped version" : "Version against it"}
              first
              onDone={() => onEdit(pair.id, null)}
            />
          ) : (
            <Version pair={pair} side={i as 0 | 1} />
          )}
        </div>
      ))}
      <div class="cell end" role="gridcell" tabIndex={-1}>
        <span class="quiet t11 ellipsis" title={from}>
          {from}
        </span>
        <button
          type="button"
          class="button plain reject"
          tabIndex={-1}
          aria-label={`Reject: ${pair.stereotyped}`}
          title="Reject (Del)"
          data-testid="reject"
          onClick={(event) => {
            event.stopPropagation();
            void store.reject([pair.id]);
          }}
        >
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <path d="m3 3 6 6M9 3 3 9" />
          </svg>
        </button>
      </div>
      {pair.remark && (
        <p class="remark" data-testid="remark">
          {pair.remark}
        </p>
      )}
    </div>
  );
});
