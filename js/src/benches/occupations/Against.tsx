import { useMemo, useRef, useState } from "preact/hooks";
import type { Agreement, Correlation } from "../../generated/occupations";
import { many } from "../../lib/format";
import { useFont, useWidth } from "../../lib/hooks";
import { Segmented, Select } from "../../lib/ui/Controls";
import { Disclosure } from "../../lib/ui/Disclosure";
import { ComparisonView } from "./Comparison";
import { drawingOf, Scatter, scatterGeometry } from "./Scatter";
import { agreementOf, groupNames, mainContrast, type Store, type View } from "./store";
import { signed } from "./texts";

const TABS = [
  { value: "scatter", label: "Scatter" },
  { value: "comparison", label: "Compare measures" },
] as const;

interface Props {
  store: Store;
  view: View;
  stale: boolean;
}

/** The words against outside data: the scatter, or the comparison of measures. */
export function Against({ store, view, stale }: Props) {
  const { beside } = view.inputs;
  const [problem, setProblem] = useState("");
  const [over, setOver] = useState(false);
  const load = async (chosen: File | undefined) => {
    if (!chosen) return;
    setProblem("");
    const read = await textOf(chosen);
    if ("problem" in read) return setProblem(read.problem);
    const reply = await store.command("load-table", { name: chosen.name, text: read.text });
    if (!reply.ok) setProblem(reply.message);
  };
  const drop = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      void load(event.dataTransfer?.files[0]);
    },
  };
  return (
    <section
      class={`panel ${stale ? "stale" : ""} ${over ? "over" : ""}`}
      aria-label="Against outside numbers"
      data-testid="against"
      {...drop}
    >
      <Table store={store} view={view} onFile={load} />
      {problem && (
        <p class="problem-line" role="alert" data-testid="table-problem">
          {problem}{" "}
          <button type="button" class="link" onClick={() => setProblem("")}>
            Dismiss
          </button>
        </p>
      )}
      <div class="mini tabs">
        <Segmented {...store.input("beside")} label="View" options={TABS} />
      </div>
      {beside === "scatter" ? (
        <ScatterView store={store} view={view} />
      ) : (
        <ComparisonView view={view} />
      )}
    </section>
  );
}

/** Longest table that is read, in bytes: a million rows of words and numbers. */
const LONGEST = 20_000_000;
const OWN = "+own";

interface TableProps {
  store: Store;
  view: View;
  onFile: (file: File | undefined) => void;
}

/** Which table: one of the catalogue, or a CSV file of one's own. */
function Table({ store, view, onFile }: TableProps) {
  const { outside_options: options, inputs } = view;
  const file = useRef<HTMLInputElement>(null);
  return (
    <div class="panel-head wrap-row">
      <h2>Against</h2>
      <div class="mini grow">
        <Select
          label="Outside numbers"
          testid="outside"
          value={inputs.outside}
          options={[
            { value: "", label: "no outside numbers" },
            ...options.map((o) => ({ value: o.key, label: o.title })),
            { value: OWN, label: "Your own CSV…" },
          ]}
          onChange={(outside) => {
            if (outside === OWN) file.current?.click();
            else store.set({ outside });
          }}
        />
      </div>
      <button
        type="button"
        class="button"
        title="A table with a column of words and a column of numbers"
        data-testid="own-table"
        onClick={() => file.current?.click()}
      >
        CSV…
      </button>
      <input
        ref={file}
        type="file"
        class="visually-hidden"
        tabIndex={-1}
        accept=".csv,.tsv,.txt,text/csv,text/plain"
        aria-label="CSV file with a column of words and a column of numbers"
        data-testid="own-table-file"
        onChange={(event) => {
          onFile(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
    </div>
  );
}

async function textOf(file: File): Promise<{ text: string } | { problem: string }> {
  if (file.size > LONGEST) {
    return { problem: `${file.name} is larger than 20 MB. Leave only words and numbers in it.` };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()) };
  } catch {
    return { problem: `${file.name} is not text in UTF-8. Save it as CSV (UTF-8) and try again.` };
  }
}

function ScatterView({ store, view }: { store: Store; view: View }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 380);
  const font = useFont(box);
  const { picture } = view.answer;
  const { measure } = view.inputs;
  const contrast = mainContrast(view);
  const agreement = agreementOf(view);
  const [, cue2] = groupNames(view);
  const drawing = useMemo(
    () => drawingOf(scatterGeometry(width), picture, contrast, agreement, measure),
    [width, picture, contrast, agreement, measure, font],
  );
  const why = agreement ? agreement.reason : missing(view);
  return (
    <div class="scatter-view" ref={box}>
      <dl class="correlations">
        <Signed name="Pearson" found={agreement?.pearson} testid="pearson" />
        <Signed name="Spearman" found={agreement?.spearman} testid="spearman" />
      </dl>
      <Scatter
        drawing={drawing}
        picture={picture}
        contrast={contrast}
        agreement={agreement}
        measure={measure}
        cue2={cue2}
        label={scatterLabel(agreement, measure)}
        hand={{ store, view }}
      />
      {why && (
        <p class="why-not" data-testid="agreement-reason">
          {why}
        </p>
      )}
      <p class="under">
        {agreement && (
          <>
            <span>{many(agreement.words.length, "word")}</span>
            <Excluded agreement={agreement} />
            <span class="source">{agreement.source}</span>
          </>
        )}
      </p>
    </div>
  );
}

function missing({ answer, inputs }: View): string {
  if (!answer.picture) return "";
  if (!inputs.outside) return "Choose a table above, or drop a CSV file here.";
  // Python compares any other table, and says why where it has no number.
  return "This table counts people of other groups than those compared here.";
}

function scatterLabel(agreement: Agreement | null, measure: "pse" | "jnd"): string {
  if (!agreement) return "No outside numbers to draw against";
  const { pearson, words, x_label } = agreement;
  return `${measure.toUpperCase()} of ${many(words.length, "word")} against ${x_label}: Pearson ${signed(pearson.value)}`;
}

interface SignedProps {
  name: string;
  found: Correlation | undefined;
  testid: string;
}

function Signed({ name, found, testid }: SignedProps) {
  const value = found?.value ?? null;
  return (
    <div>
      <dt>{name}</dt>
      <dd
        data-testid={testid}
        data-value={value ?? undefined}
        data-low={found?.low ?? undefined}
        data-high={found?.high ?? undefined}
      >
        <b>{signed(value, 3)}</b>{" "}
        <span class="ink2">
          {found && found.low !== null
            ? `${signed(found.low)} to ${signed(found.high)}`
            : (found?.reason ?? "")}
        </span>
      </dd>
    </div>
  );
}

function Excluded({ agreement: { excluded } }: { agreement: Agreement }) {
  if (excluded.length === 0) return <span data-testid="excluded">none left out</span>;
  return (
    <Disclosure
      label="Left out"
      text={`${excluded.length} left out`}
      testid="excluded"
      class="left-out"
    >
      {() => (
        <ul class="plain-list bulleted">
          {excluded.slice(0, MOST_LISTED).map((d) => (
            <li key={d.term}>
              <b>
                <bdi>{d.term}</bdi>
              </b>
              : {d.reason}
            </li>
          ))}
          {excluded.length > MOST_LISTED && (
            <li>and {excluded.length - MOST_LISTED} more: see the CSV export</li>
          )}
        </ul>
      )}
    </Disclosure>
  );
}

const MOST_LISTED = 200;
