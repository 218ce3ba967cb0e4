import type { Comparison, Correlation, MeasureRow } from "../../generated/occupations";
import { Lane } from "../../lib/chart/Lane";
import { many } from "../../lib/format";
import { linear, type Scale } from "../../lib/scale";
import type { View } from "./store";
import { signed } from "./texts";

/**
 * PSE measured in several ways beside WEAT, by how strongly each goes with the same numbers.
 *
 * What is drawn is r turned to its own sign, so that lengths compare; what is printed is signed.
 */
export function ComparisonView({ view }: { view: View }) {
  const comparison = view.answer.picture?.comparison ?? null;
  if (!comparison?.rows.length) {
    return (
      <p class="why-not" data-testid="comparison-missing">
        {missing(view, comparison)}
      </p>
    );
  }
  return <Forest comparison={comparison} />;
}

function missing({ inputs, waiting }: View, comparison: Comparison | null): string {
  if (!inputs.outside)
    return "Choose a table above: measures are compared by how they go with its numbers.";
  return waiting ? "Comparing…" : (comparison?.caveat ?? "These measures cannot be compared here.");
}

function Forest({ comparison }: { comparison: Comparison }) {
  const { rows, verdict, caveat, words } = comparison;
  const low = Math.min(0, ...rows.map((row) => turned(row.pearson)?.[0] ?? 0));
  const domain: [number, number] = [Math.max(-1, Math.floor(low * 5) / 5), 1];
  return (
    <div class="forest" data-testid="comparison">
      <p class="forest-verdict" data-testid="comparison-verdict">
        {verdict.map((span, i) => (
          <span key={i} class={span.role}>
            {span.text}
          </span>
        ))}
      </p>
      <ForestAxis x={linear(domain, [0, 100])} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <ol class="forest-rows" tabIndex={0} aria-label="Measures">
        {rows.map((row) => (
          <ForestRow key={row.name} row={row} domain={domain} />
        ))}
      </ol>
      <p class="under">
        <span>{many(words, "word")}, the same in each row.</span> <span>{caveat}</span>
      </p>
    </div>
  );
}

function ForestAxis({ x }: { x: Scale }) {
  return (
    <div class="forest-axis" aria-hidden="true">
      <span class="forest-axis-name">|r|</span>
      <span class="forest-ticks">
        {[0, 0.5, 1].map((t) => (
          <span key={t} style={{ left: `${x(t)}%` }} class={t === 0 ? "strong" : ""}>
            {t === 0 ? "0, none" : t}
          </span>
        ))}
      </span>
    </div>
  );
}

function ForestRow({ row, domain }: { row: MeasureRow; domain: [number, number] }) {
  const weat = /^weat/i.test(row.name);
  const { pearson } = row;
  const ends = turned(pearson) ?? [null, null];
  const { value } = pearson;
  return (
    <li
      class={weat ? "weat" : ""}
      data-testid="measure-row"
      data-name={row.name}
      data-value={value ?? undefined}
      data-low={pearson.low ?? undefined}
      data-high={pearson.high ?? undefined}
      data-gap={row.gap ?? undefined}
    >
      <span class="forest-name" title={row.detail}>
        {row.label}
        {row.detail && <small>{row.detail}</small>}
      </span>
      <Lane
        domain={domain}
        neutral={0}
        ticks={[0.5, 1]}
        marks={[{ value: value && Math.abs(value), low: ends[0], high: ends[1] }]}
      />
      <span class="forest-numbers">
        <b>{signed(value)}</b>{" "}
        <span class="ink2">
          {pearson.low === null
            ? pearson.reason
            : `${signed(pearson.low)} to ${signed(pearson.high)}`}
        </span>
      </span>
      <small class="forest-gap">
        {row.gap !== null && !(weat && row.gap === 0) && (
          <>
            gap to WEAT {signed(row.gap)}
            {row.gap_low !== null && ` (${signed(row.gap_low)} to ${signed(row.gap_high)})`}
          </>
        )}
      </small>
    </li>
  );
}

/** An interval of r seen from r's own sign: its upper end is the stronger one. */
export function turned({ value, low, high }: Correlation): [number, number] | null {
  if (low === null || high === null) return null;
  return value !== null && value < 0 ? [-high, -low] : [low, high];
}
