import { useMemo } from "preact/hooks";
import type { LanguageDetail, MarkedMention, TextRow } from "../../../generated/rating";
import { memo } from "../../../lib/memo";
import { Segmented, Select } from "../../../lib/ui/Controls";
import { Windowed } from "../../../lib/ui/Windowed";
import { blockName } from "../picture/rows";
import { isTranslator, type Store, type TextFilter, type View } from "../store";
import { many } from "../texts";
import { tonesOf } from "../tones";
import { isChanged, isUnresolved, piecesOf, reasonsOf } from "./pieces";

interface Props {
  store: Store;
  view: View;
  values: readonly string[];
}

const TALL = 440;
/** So many blocks are buttons; more are a list. */
const FEW = 4;
const FILTERS: { value: TextFilter; label: string }[] = [
  { value: "all", label: "All" },
  { value: "changed", label: "Changed" },
  { value: "unresolved", label: "Unresolved" },
];

interface Numbered {
  row: TextRow;
  number: number;
}

/** Every text of a block on its way: as sent, in the middle, as it came back. */
export function EveryText({ store, view, values }: Props) {
  const { detail, filter } = view;
  const shown = useMemo(
    () =>
      detail.texts
        .map((row, i): Numbered => ({ row, number: i + 1 }))
        .filter(({ row }) => isShown(row, filter)),
    [detail.texts, filter],
  );
  return (
    <section class="texts-part" aria-label="Every text">
      <div class="texts-head wrap-row">
        <h2>Every text</h2>
        <span class="quiet t12" data-testid="text-count">
          {detail.language === null
            ? ""
            : `${detail.title || "directly"}, ${many(shown.length, "text")}`}
        </span>
      </div>
      <div class="tools wrap-row">
        <BlockPicker store={store} view={view} />
        <div class="filter mini">
          <Segmented
            label="Which texts"
            testid="filter"
            value={filter}
            options={FILTERS}
            onChange={(to) => store.filter(to)}
          />
        </div>
      </div>
      <Texts
        detail={detail}
        shown={shown}
        values={values}
        translated={detail.texts.length > 0 ? null : isTranslator(view)}
      />
      <Reasons detail={detail} />
    </section>
  );
}

const isShown = (row: TextRow, filter: TextFilter) =>
  filter === "changed" ? isChanged(row) : filter === "unresolved" ? isUnresolved(row) : true;

interface TextsProps {
  detail: LanguageDetail;
  shown: readonly Numbered[];
  values: readonly string[];
  /** Whether there will be middle texts; null where the texts that are there say it. */
  translated: boolean | null;
}

/** The table; a drag, which changes no text, does not draw it anew. */
const Texts = memo(({ detail, shown, values, translated }: TextsProps) => {
  const middle = translated ?? detail.texts.some((row) => row.middle !== "");
  if (shown.length === 0)
    return (
      <div class="texts">
        <p class="nothing" data-testid="no-texts">
          {detail.texts.length > 0
            ? "No text of this block fits the filter."
            : "Each text stands here with its answers as they come."}
        </p>
      </div>
    );
  return (
    <div class={`texts ${middle ? "" : "direct"}`} role="table" aria-label="Texts">
      <div class="text-line head-line-row ink2 t12" role="row" tabIndex={-1}>
        <span role="columnheader" tabIndex={-1}>
          source
        </span>
        {middle && (
          <span role="columnheader" tabIndex={-1}>
            middle{detail.title && <span class="quiet">, {detail.title}</span>}
          </span>
        )}
        <span role="columnheader" tabIndex={-1}>
          back
        </span>
      </div>
      <Windowed
        items={shown}
        id={({ number }) => String(number)}
        estimate={() => 52}
        tall={TALL}
        attributes={{
          role: "rowgroup",
          tabIndex: 0,
          "aria-label": "Texts; arrow keys scroll",
          class: "text-rows",
        }}
      >
        {({ row, number }) => (
          <Line
            row={row}
            number={number}
            values={values}
            middle={middle}
            language={detail.language}
          />
        )}
      </Windowed>
    </div>
  );
});

function BlockPicker({ store, view }: Omit<Props, "values">) {
  const { distributions, block } = view.inputs;
  const options = distributions.map((one, i) => ({ value: String(i), label: blockName(one) }));
  const shared = {
    label: "Block",
    testid: "text-block",
    value: String(Math.min(block, Math.max(0, options.length - 1))),
    options,
    onChange: (to: string) => store.set({ block: Number(to) }),
  };
  return (
    <div class="filter mini">
      {options.length <= FEW ? <Segmented {...shared} /> : <Select {...shared} />}
    </div>
  );
}

interface LineProps {
  row: TextRow;
  number: number;
  values: readonly string[];
  middle: boolean;
  language: string | null;
}

function Line({ row, number, values, middle, language }: LineProps) {
  const reasons = reasonsOf(row);
  return (
    <div
      class="text-line"
      role="row"
      tabIndex={-1}
      data-testid="text"
      data-number={number}
      data-changed={isChanged(row) ? "" : undefined}
    >
      <span role="cell" dir="auto">
        <Marked text={row.source} marks={row.source_marks} values={values} />
      </span>
      {middle && (
        <span role="cell" dir="auto" lang={language || undefined}>
          <Marked text={row.middle} marks={row.middle_marks} values={values} moved={row.moved} />
        </span>
      )}
      <span role="cell" dir="auto">
        <Marked
          text={row.back}
          marks={row.back_marks}
          values={values}
          changed={row.changed}
          source={row.source}
        />
        {reasons.map((reason) => (
          <small key={reason} class="warn-text" data-testid="reason">
            {reason}
          </small>
        ))}
      </span>
    </div>
  );
}

interface MarkedProps {
  text: string;
  marks: readonly MarkedMention[];
  values: readonly string[];
  changed?: readonly boolean[];
  moved?: readonly boolean[];
  /** Words that it does not have are marked. */
  source?: string;
}

function Marked({ text, marks, values, changed, moved, source }: MarkedProps) {
  const tones = tonesOf(values);
  return (
    <>
      {piecesOf(text, marks, changed, moved, source).map(({ text: piece, mark, differs }, i) => {
        if (differs)
          return (
            <span key={i} class="differs" title="not in the source">
              {piece}
            </span>
          );
        if (!mark) return piece;
        const value = values[mark.value];
        const said = [
          value === undefined ? mark.reason || "could not be read" : value.toLowerCase(),
          mark.changed ? "changed" : "",
          mark.moved ? "already another value" : "",
        ].filter(Boolean);
        return (
          <mark
            key={i}
            class={[
              "mention",
              `says-${tones[mark.value] ?? "unread"}`,
              mark.changed ? "changed" : "",
              mark.moved ? "moved" : "",
            ].join(" ")}
            title={said.join(", ")}
            data-value={mark.value}
          >
            {piece}
            {(mark.changed || mark.moved) && (
              <span class="visually-hidden"> ({said.slice(1).join(", ")})</span>
            )}
          </mark>
        );
      })}
    </>
  );
}

/** What the marks mean, and what could not be read, by reason. */
const Reasons = memo(({ detail }: { detail: LanguageDetail }) => {
  const { middle_note, reasons, texts } = detail;
  const moved = texts.some((row) => row.moved.some(Boolean));
  return (
    <div class="text-notes t11" data-testid="text-notes">
      <p>
        {middle_note}{" "}
        {moved && (
          <>
            <b class="moved-key">Underlined</b>: the middle text already says another value.
          </>
        )}
      </p>
      {reasons.length > 0 && (
        <p class="warn-text" data-testid="unresolved">
          Could not be read, and not counted:{" "}
          {reasons.map(([reason, n]) => `${reason} (${n})`).join("; ")}.
        </p>
      )}
    </div>
  );
});
