import { useState } from "preact/hooks";
import { DeleteButton } from "../../lib/ui/DeleteButton";
import { TextField } from "../../lib/ui/TextField";
import { useUid } from "../../lib/uid";
import type { Store, View } from "./store";

interface Props {
  store: Store;
  view: View;
  draft: string;
}

/** The case as text. An error stands below it, and nothing that was typed is lost. */
export function EditCase({ store, view, draft }: Props) {
  const id = useUid();
  const { case_problem, inputs, card } = view;
  const [title, setTitle] = useState(card.title);
  const [refusal, setRefusal] = useState("");
  const own = view.cases.find((one) => one.own && one.name === inputs.case);
  const inUse = inputs.case_text === draft && !view.waiting;
  const problem = refusal || (inUse ? case_problem : "");
  return (
    <div class="edit-case">
      <label for={id} class="visually-hidden">
        The case as TOML
      </label>
      <textarea
        id={id}
        class="field"
        data-testid="case-text"
        rows={16}
        spellcheck={false}
        value={draft}
        aria-invalid={problem !== ""}
        aria-describedby={`${id}-problem`}
        onInput={(event) => {
          setRefusal("");
          store.edit(event.currentTarget.value);
        }}
      />
      <p id={`${id}-problem`} class="edit-note" role={problem ? "alert" : undefined}>
        {problem ? (
          <span class="bad-text" data-testid="case-problem">
            {problem}
          </span>
        ) : inUse ? (
          <span class="quiet" data-testid="case-in-use">
            This text is the case on the screen.
          </span>
        ) : (
          <span class="quiet">{"{x} stands for the level, {cue} for the name."}</span>
        )}
      </p>
      <div class="actions wrap-row">
        <button
          type="button"
          class="button first"
          data-testid="use-case"
          onClick={() => store.useText(draft)}
        >
          Use this text
        </button>
        <button
          type="button"
          class="button"
          data-testid="close-editor"
          onClick={() => store.edit(null)}
        >
          Close
        </button>
        {own && (
          <DeleteButton
            key={own.name}
            what={`“${own.title}”`}
            testid="delete-case"
            onDelete={() => void store.deleteCase(own.name).then(setRefusal)}
          />
        )}
        {inputs.case_text && (
          <button
            type="button"
            class="button plain"
            data-testid="catalogue-case"
            onClick={() => store.useText("")}
          >
            Back to the catalogue’s
          </button>
        )}
      </div>
      <form
        class="save-case wrap-row"
        onSubmit={(event) => {
          event.preventDefault();
          void store.saveCase(draft, title).then(setRefusal);
        }}
      >
        <TextField
          label="Title of your own case"
          testid="case-title"
          value={title}
          onInput={(text) => {
            setRefusal("");
            setTitle(text);
          }}
        />
        <button type="submit" class="button" data-testid="save-case">
          Save as mine
        </button>
      </form>
    </div>
  );
}
