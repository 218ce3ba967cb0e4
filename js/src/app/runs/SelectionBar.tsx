/** What can be done with the selected runs. */
import { useEffect, useState } from "preact/hooks";
import { many } from "../../lib/format";
import { Menu } from "../lib/Menu";
import {
  compareAddress,
  exportAddress,
  FORMATS,
  type Run,
  reportAddress,
  trajectoryAddress,
  whyNotComparable,
} from "../lib/runs";

interface Props {
  runs: Run[];
  /** Tags that are in use. */
  known: string[];
  mayShare: boolean;
  onClear: () => void;
  onDelete: () => void;
  onTag: (tags: string[]) => void;
  onUntag: (tag: string) => void;
  onShare: () => void;
  onWithdraw: () => void;
}

export function SelectionBar(props: Props) {
  const { runs, known, mayShare, onClear, onDelete, onTag, onUntag, onShare, onWithdraw } = props;
  const own = runs.every((run) => !run.sharedBy);
  const shared = runs.every((run) => run.sharedBy);
  const ids = runs.map((run) => run.id);
  const [a, b, ...more] = [...ids].sort();
  const whyNotTwo = useWhyNotComparable(runs.length === 2 ? [a, b] : null);
  const why = more.length ? whyNoOrder(runs) : whyNotTwo;
  const tags = [...new Set(runs.flatMap((run) => run.tags))].sort();
  return (
    <section class="selection" aria-label="Selected runs">
      <p role="status">
        <strong>{many(runs.length, "run")} selected</strong> <span>{comparable(runs, why)}</span>
      </p>
      <div class="tools">
        <button type="button" class="button plain" onClick={onClear}>
          Clear
        </button>
        {own && (
          <button type="button" class="button plain" onClick={onDelete}>
            Delete
          </button>
        )}
        {mayShare && own && (
          <button type="button" class="button plain" onClick={onShare}>
            Share with everybody
          </button>
        )}
        {mayShare && shared && (
          <button type="button" class="button plain" onClick={onWithdraw}>
            Stop sharing
          </button>
        )}
        {own && (
          <Menu label="Tag">
            <TagForm known={known} onTag={onTag} />
            {tags.length > 0 && (
              <span class="tags">
                {tags.map((tag) => (
                  <span class="tag" key={tag}>
                    {tag}
                    <button
                      type="button"
                      aria-label={`Remove tag ${tag}`}
                      onClick={() => onUntag(tag)}
                    >
                      ×
                    </button>
                  </span>
                ))}
              </span>
            )}
          </Menu>
        )}
        <Menu label="Export">
          {FORMATS.map(([format, label]) => (
            <a key={format} href={exportAddress(ids, format)} download>
              {label}
            </a>
          ))}
        </Menu>
        <a class="button" href={reportAddress(ids)}>
          Report
        </a>
        {why === "" ? (
          <a
            class="button primary"
            href={more.length ? trajectoryAddress([a, b, ...more]) : compareAddress(a, b)}
          >
            Compare
          </a>
        ) : (
          <button type="button" class="button" disabled>
            Compare
          </button>
        )}
      </div>
    </section>
  );
}

/** A field for new tags; commas separate several. */
export function TagForm({ known, onTag }: { known: string[]; onTag: (tags: string[]) => void }) {
  const [tag, setTag] = useState("");
  const add = (event: Event) => {
    event.preventDefault();
    const tags = tag.split(",").flatMap((one) => one.trim() || []);
    if (tags.length > 0) onTag(tags);
    setTag("");
  };
  return (
    <form class="tag-form" onSubmit={add}>
      <input
        aria-label="New tag"
        placeholder="tag"
        list="known-tags"
        value={tag}
        onInput={(event) => setTag(event.currentTarget.value)}
      />
      <datalist id="known-tags">
        {known.map((one) => (
          <option value={one} key={one} />
        ))}
      </datalist>
      <button type="submit" class="button">
        Add
      </button>
    </form>
  );
}

function comparable(runs: readonly Run[], why: string | null): string {
  if (runs.length === 1) return "Select two runs or more to compare them.";
  if (why === null) return "";
  if (why) return why;
  return runs.length === 2
    ? "They can be compared row by row."
    : "One number can be followed over them.";
}

const whyNoOrder = (runs: readonly Run[]) =>
  new Set(runs.map((run) => run.probe)).size > 1
    ? "Runs of different probes cannot be compared."
    : "";

/** Why two runs cannot be compared; null while that is not known. */
function useWhyNotComparable(pair: [string, string] | null): string | null {
  const [known, setKnown] = useState<{ key: string; why: string } | null>(null);
  const key = pair?.join() ?? "";
  useEffect(() => {
    if (pair === null) return;
    let newest = true;
    whyNotComparable(...pair)
      .then((why) => newest && setKnown({ key, why }))
      .catch((error) => newest && setKnown({ key, why: error.message }));
    return () => {
      newest = false;
    };
  }, [key]);
  return pair !== null && known?.key === key ? known.why : null;
}
