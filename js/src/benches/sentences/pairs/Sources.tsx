import { useState } from "preact/hooks";
import { MakingLine } from "../../../lib/bench/MakingLine";
import { whole } from "../../../lib/format";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { FileButton } from "../../../lib/ui/FileButton";
import { MenuItem } from "../../../lib/ui/MenuItem";
import type { Kept } from "../../../lib/word-lists/kept";
import type { Store, View } from "../store";
import { AddCard } from "./AddCard";
import { exportFile, importFile } from "./files";
import { WriteCard } from "./WriteCard";

const FORMATS = [
  { format: "json", title: "JSON, keeps everything" },
  { format: "csv", title: "CSV" },
  { format: "biastestgpt", title: "BiasTestGPT’s CSV" },
  { format: "crows-pairs", title: "CrowS-Pairs’ CSV" },
] as const;

/** Where sentences come from, and how they leave. */
export function Sources({ store, view }: { store: Store; view: View }) {
  const [kept] = useState<Kept>(() => new Map());
  const { saved, pairs } = view.sentences;
  const writing = view.writing.total > 0;
  return (
    <div class="sources">
      <div class="source-buttons wrap-row" role="group" aria-label="Where sentences come from">
        <button
          type="button"
          class="button"
          data-testid="retrieve"
          disabled={saved === 0}
          title={saved === 0 ? "None is kept for these words." : undefined}
          onClick={() => void store.command("retrieve")}
        >
          Find saved sentences ({whole(saved)})
        </button>
        <button
          type="button"
          class="button"
          data-testid="templates"
          onClick={() => void store.command("templates")}
        >
          Make from templates
        </button>
        <Disclosure
          label="Write with a model"
          text="Write with a model…"
          testid="write-open"
          look="button"
          class="card"
          disabled={writing}
        >
          {(close) => <WriteCard store={store} view={view} kept={kept} onDone={close} />}
        </Disclosure>
        <Disclosure
          label="Type or paste sentences"
          text="Type or paste…"
          testid="own"
          look="button"
          class="card wide-card"
        >
          {(close) => <AddCard store={store} kept={kept} onDone={close} />}
        </Disclosure>
        <FileButton
          text="Import file…"
          testid="import"
          accept=".csv,.tsv,.json,.jsonl,.txt,.parquet"
          onPick={([file]) => file && void importFile(store, file)}
        />
        <Disclosure
          label="Export pairs"
          text="Export…"
          testid="export-pairs"
          look="button plain"
          class="card menu-card right-card push"
          disabled={pairs.length === 0}
        >
          {(close) =>
            FORMATS.map(({ format, title }) => (
              <MenuItem
                key={format}
                testid={`pairs-${format}`}
                onPick={() => {
                  close();
                  void exportFile(store, format);
                }}
              >
                {title}
              </MenuItem>
            ))
          }
        </Disclosure>
      </div>
      <MakingLine
        store={store}
        making={view.writing}
        label="Writing"
        stop="stop-writing"
        text="Stop, keep what is written"
      />
    </div>
  );
}
