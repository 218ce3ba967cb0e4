/** Renames or deletes the run of the page. */
import { useState } from "preact/hooks";
import { leaveDeleted } from "../lib/deleted";
import { Menu } from "../lib/Menu";
import { deleteRuns, renameRun } from "../lib/runs";

export function Actions({ id, label }: { id: string; label: string }) {
  const [name, setName] = useState(label);
  const [problem, setProblem] = useState("");
  const fail = (error: Error) => setProblem(error.message);
  const rename = (event: Event) => {
    event.preventDefault();
    renameRun(id, name.trim()).then(() => location.reload(), fail);
  };
  const remove = () =>
    deleteRuns([id]).then(() => {
      leaveDeleted([id]);
      location.assign("runs");
    }, fail);
  return (
    <>
      {problem && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
      <button type="button" class="button plain" onClick={remove}>
        Delete
      </button>
      <Menu label="Rename">
        <form class="tag-form" onSubmit={rename}>
          <input
            aria-label="Label"
            placeholder="your own note"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" class="button">
            Rename
          </button>
        </form>
      </Menu>
    </>
  );
}
