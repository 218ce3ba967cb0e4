/** The tags of the run, each with a button that removes it, and a field for another. */
import { useState } from "preact/hooks";
import { tagRuns, untagRuns } from "../lib/runs";
import { TagForm } from "../runs/SelectionBar";

export function Tags({ id, first }: { id: string; first: string[] }) {
  const [tags, setTags] = useState(first);
  const [problem, setProblem] = useState("");
  const change = (work: Promise<unknown>, now: string[]) =>
    work.then(
      () => {
        setTags([...new Set(now)].sort());
        setProblem("");
      },
      (error: Error) => setProblem(error.message),
    );
  return (
    <>
      {tags.map((tag) => (
        <span class="tag" key={tag}>
          <a href={`runs?tag=${encodeURIComponent(tag)}`}>{tag}</a>
          <button
            type="button"
            aria-label={`Remove tag ${tag}`}
            onClick={() =>
              change(
                untagRuns([id], [tag]),
                tags.filter((one) => one !== tag),
              )
            }
          >
            ×
          </button>
        </span>
      ))}
      <TagForm known={[]} onTag={(more) => change(tagRuns([id], more), [...tags, ...more])} />
      {problem && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
