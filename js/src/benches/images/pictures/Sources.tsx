import { useState } from "preact/hooks";
import { MakingLine } from "../../../lib/bench/MakingLine";
import { many, whole } from "../../../lib/format";
import { Select } from "../../../lib/ui/Controls";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { FileButton } from "../../../lib/ui/FileButton";
import { MenuItem } from "../../../lib/ui/MenuItem";
import { TextField } from "../../../lib/ui/TextField";
import type { Kept } from "../../../lib/word-lists/kept";
import type { Store, View } from "../store";
import { begin, exportSet, importSet, upload } from "./files";
import { MakeCard } from "./MakeCard";

/** How a way to get pictures opens its card. */
const CARD = { look: "button", class: "card" } as const;

/** Where pictures come from, and how they leave. */
export function Sources({ store, view }: { store: Store; view: View }) {
  const [kept] = useState<Kept>(() => new Map());
  const { terms, images, sources } = view.images;
  const saved = terms.reduce((sum, term) => sum + term.saved, 0);
  const drawable = terms.filter((term) => term.drawable).length;
  const busy = view.making.total > 0;
  const own = images.some((image) => sources[image.source] !== "drawn");
  return (
    <div class="sources">
      <div class="source-buttons wrap-row" role="group" aria-label="Where pictures come from">
        <button
          type="button"
          class="button"
          data-testid="draw"
          disabled={busy || drawable === 0}
          title={drawable === 0 ? "No portrait of these terms can be drawn." : undefined}
          onClick={() => void store.command("draw", { per_term: view.inputs.per_term })}
        >
          Draw portraits, {whole(view.inputs.per_term)} each
        </button>
        <button
          type="button"
          class="button"
          data-testid="saved"
          disabled={saved === 0}
          title={saved === 0 ? "None is kept for these terms." : undefined}
          onClick={() => void store.command("saved")}
        >
          Find kept pictures ({whole(saved)})
        </button>
        <Disclosure
          label="Upload pictures"
          text="Upload…"
          testid="upload-open"
          {...CARD}
          disabled={terms.length === 0}
        >
          {(close) => <UploadCard store={store} view={view} onDone={close} />}
        </Disclosure>
        <Disclosure
          label="Make pictures with a model"
          text="Make with a model…"
          testid="make-open"
          {...CARD}
          disabled={busy}
        >
          {(close) => <MakeCard store={store} view={view} kept={kept} onDone={close} />}
        </Disclosure>
        {view.folders && (
          <Disclosure label="A folder of pictures" text="Folder…" testid="folder-open" {...CARD}>
            {(close) => <FolderCard store={store} onDone={close} />}
          </Disclosure>
        )}
        <FileButton
          text="Import set…"
          testid="import"
          accept=".zip"
          onPick={([file]) => file && void importSet(store, file)}
        />
        <Disclosure
          label="Keep and export"
          text="Keep, export…"
          testid="export-pictures"
          look="button plain"
          class="card menu-card right-card push"
          disabled={images.length === 0}
        >
          {(close) => (
            <>
              <MenuItem
                testid="keep"
                disabled={!own}
                onPick={() => {
                  close();
                  void begin(store, "keep");
                }}
              >
                Keep for other tests, all that are not drawn
              </MenuItem>
              <MenuItem
                testid="dataset"
                disabled={busy}
                onPick={() => {
                  close();
                  void exportSet(store);
                }}
              >
                Hugging Face image folder, zipped
              </MenuItem>
            </>
          )}
        </Disclosure>
      </div>
      <MakingLine
        store={store}
        making={view.making}
        label="Making pictures"
        stop="cancel-making"
        text="Stop, keep what is there"
      />
    </div>
  );
}

/** Files for one term; the term with the fewest pictures comes first. */
function UploadCard({ store, view, onDone }: { store: Store; view: View; onDone: () => void }) {
  const { terms } = view.images;
  const [term, setTerm] = useState(
    () => [...terms].sort((a, b) => a.count - b.count)[0]?.name ?? "",
  );
  return (
    <div class="stack">
      <Select
        label="Pictures of"
        testid="upload-term"
        value={term}
        options={terms.map(({ name, count }) => ({
          value: name,
          label: `${name}, ${many(count, "picture")}`,
        }))}
        onChange={setTerm}
      />
      <FileButton
        text="Choose files…"
        testid="upload"
        accept="image/*"
        several
        onPick={(files) => {
          if (files.length > 0) void upload(store, term, files);
          onDone();
        }}
      />
      <p class="quiet">
        Or drop files on a term below. PNG, JPEG, WebP and others; what is in a file besides the
        picture, such as the place, is not kept.
      </p>
    </div>
  );
}

function FolderCard({ store, onDone }: { store: Store; onDone: () => void }) {
  const [path, setPath] = useState("");
  const [problem, setProblem] = useState("");
  return (
    <form
      class="stack"
      onSubmit={async (event) => {
        event.preventDefault();
        const reply = await begin(store, "folder", { path: path.trim() });
        if (!reply.ok) return setProblem(reply.message);
        onDone();
      }}
    >
      <TextField
        label="Folder with one folder of pictures for each term"
        testid="folder"
        value={path}
        onInput={(text) => {
          setPath(text);
          setProblem("");
        }}
      />
      {problem && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="button primary" disabled={!path.trim()}>
        Read
      </button>
    </form>
  );
}
