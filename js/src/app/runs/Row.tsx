/** A run in the list: its picture, its finding, and where it comes from. */
import { memo } from "../../lib/memo";
import { clock } from "../lib/times";
import { duration } from "./days";
import type { Entry } from "./filter";

interface Props {
  entry: Entry;
  title: string;
  picture: string;
  selected: boolean;
  /** Whether the Tab key reaches it. */
  active: boolean;
  onSelect: (id: string, selected: boolean) => void;
  onFocus: (id: string) => void;
}

export const Row = memo(function Row(props: Props) {
  const { entry, title, picture, selected, active, onSelect, onFocus } = props;
  const { run } = entry;
  const shared = run.sharedBy && `shared by ${run.sharedBy}`;
  const about = [run.label, title, run.subject, shared].filter(Boolean).join(" · ");
  return (
    <li class="row" data-selected={selected || undefined}>
      <input
        type="checkbox"
        checked={selected}
        tabIndex={-1}
        aria-label={`Select ${run.headline}`}
        onChange={(event) => onSelect(run.id, event.currentTarget.checked)}
      />
      <span class="picture" aria-hidden="true" dangerouslySetInnerHTML={{ __html: picture }} />
      <a
        class="finding"
        href={`run?id=${encodeURIComponent(run.id)}`}
        tabIndex={active ? 0 : -1}
        data-run={run.id}
        onFocus={() => onFocus(run.id)}
      >
        <strong>{run.headline}</strong>
        <span>{about}</span>
      </a>
      <span class="tags">
        {run.tags.map((tag) => (
          <span class={`tag ${tag === "incomplete" ? "incomplete" : ""}`} key={tag}>
            {tag}
          </span>
        ))}
      </span>
      <span class="open">
        {title && run.bench && (
          <a class="button" tabIndex={-1} href={`${run.bench}?run=${encodeURIComponent(run.id)}`}>
            Open in bench
          </a>
        )}
      </span>
      <span class="when">
        <time dateTime={run.time}>{run.time && clock(run.time)}</time>
        <small>{duration(run.seconds)}</small>
      </span>
    </li>
  );
});
