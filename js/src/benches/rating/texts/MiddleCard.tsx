import type { MiddleFinding } from "../../../generated/rating";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { type Column, SortableTable } from "../../../lib/ui/SortableTable";
import type { View } from "../store";
import { tonesOf } from "../tones";

/** What every occupation becomes in the middle text. */
export function MiddleCard({ view, values }: { view: View; values: readonly string[] }) {
  const { middle, title } = view.detail;
  if (middle.length === 0) return null;
  const tones = tonesOf(values);
  const columns: Column<MiddleFinding>[] = [
    { key: "term", title: "term", by: (f) => f.term, cell: (f) => f.term },
    {
      key: "given",
      title: "said of",
      by: (f) => f.given,
      cell: (f) => (
        <span class={`says-${tones[values.indexOf(f.given)] ?? "other"} mention`}>{f.given}</span>
      ),
    },
    ...values.map(
      (value, i): Column<MiddleFinding> => ({
        key: `v${i}`,
        title: value.toLowerCase(),
        by: (f) => f.counts[i] ?? 0,
        cell: (f) => f.counts[i] ?? 0,
        down: true,
      }),
    ),
    { key: "example", title: "such as", by: (f) => f.example, cell: (f) => f.example },
  ];
  return (
    <Disclosure
      label={`The middle text, ${title}, by term`}
      text="The middle text by term…"
      testid="middle"
      class="card middle-card"
    >
      {() => (
        <div class="middle-table">
          <SortableTable
            label={`What each term becomes in ${title}`}
            testid="middle-table"
            columns={columns}
            rows={middle}
            id={(f) => `${f.term} ${f.given}`}
            first="term"
          />
        </div>
      )}
    </Disclosure>
  );
}
