import { type DistributionState, LIMITS } from "../../../generated/rating";
import { points } from "../../../lib/format";
import { Select } from "../../../lib/ui/Controls";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { inPercent, NumberField } from "../../../lib/ui/NumberField";
import { blockName } from "../picture/rows";
import { nameOf, type Store, type View, valuesOf } from "../store";

interface Props {
  store: Store;
  view: View;
}

const KINDS: { value: DistributionState["kind"]; label: string }[] = [
  { value: "unbiased", label: "unbiased" },
  { value: "biased", label: "biased" },
];

/** The blocks by numbers: any number of unbiased and of biased distributions. */
export function Blocks({ store, view }: Props) {
  const count = view.inputs.distributions.length;
  return (
    <Disclosure
      label="Blocks"
      text={`${count} block${count === 1 ? "" : "s"}…`}
      testid="blocks"
      class="card wide-card right-card"
    >
      {() => <BlocksCard store={store} view={view} />}
    </Disclosure>
  );
}

function BlocksCard({ store, view }: Props) {
  const values = valuesOf(view);
  const { distributions } = view.inputs;
  const change = (block: number, more: Partial<DistributionState>) =>
    store.set({
      distributions: distributions.map((d, i) => (i === block ? { ...d, ...more } : d)),
    });
  const add = (kind: DistributionState["kind"]) => {
    const shares = startShares(kind, values.length);
    const names = new Set(distributions.map((d) => d.name));
    let name = nameOf(shares);
    for (let n = 2; names.has(name); n++) name = `${nameOf(shares)} (${n})`;
    store.set({ distributions: [...distributions, { name, kind, shares }] });
  };
  return (
    <div class="stack blocks-card">
      <p class="quiet">Shares in the input, in per cent. A block is called by them.</p>
      {distributions.map((one, block) => (
        <fieldset
          key={block}
          class="block-line"
          style={{ "--values": values.length }}
          data-testid="block-line"
        >
          <legend class="visually-hidden">{blockName(one)}</legend>
          <Select
            label={blockName(one)}
            testid={`block-kind-${block}`}
            value={one.kind}
            options={KINDS}
            onChange={(kind) => change(block, { kind })}
          />
          {values.map((value, v) => (
            <NumberField
              key={value}
              label={value.toLowerCase()}
              {...inPercent({
                ...LIMITS.distributions.shares,
                testid: `share-${block}-${v}`,
                value: one.shares[v] ?? 0,
                onChange: (share) =>
                  store.shares(
                    block,
                    values.map((_, i) => (i === v ? share : (one.shares[i] ?? 0))),
                  ),
              })}
            />
          ))}
          <div class="block-sum spread t11">
            <Sum store={store} block={block} one={one} />
            <button
              type="button"
              class="link"
              aria-label={`Remove ${blockName(one)}`}
              data-testid={`remove-block-${block}`}
              onClick={() =>
                store.set({ distributions: distributions.filter((_, i) => i !== block) })
              }
            >
              Remove
            </button>
          </div>
        </fieldset>
      ))}
      <div class="presets wrap-row">
        {KINDS.map(({ value }) => (
          <button
            key={value}
            type="button"
            class="button"
            data-testid={`add-${value}`}
            onClick={() => add(value)}
          >
            Add {value === "unbiased" ? "an" : "a"} {value} one
          </button>
        ))}
        <button
          type="button"
          class="button"
          data-testid="preset"
          onClick={() => void store.command("preset")}
        >
          The paper’s design
        </button>
      </div>
      <NumberField {...store.input("repetitions")} label="Blocks of each distribution" />
    </div>
  );
}

/** Even shares of the named values; or most of the first. */
function startShares(kind: DistributionState["kind"], count: number): number[] {
  const named = Math.max(1, count - 1);
  const rest = Math.floor(20 / Math.max(1, named - 1));
  const even = Math.floor(100 / named);
  const first = kind === "unbiased" ? 100 - even * (named - 1) : 100 - rest * (named - 1);
  return Array.from({ length: count }, (_, i) => {
    if (i === count - 1) return 0;
    return (i === 0 ? first : kind === "unbiased" ? even : rest) / 100;
  });
}

function Sum({ store, block, one }: { store: Store; block: number; one: DistributionState }) {
  const sum = one.shares.reduce((a, b) => a + b, 0);
  const right = Math.abs(sum - 1) < 1e-6;
  return (
    <p class={right ? "quiet" : "warn-text"} data-testid={`sum-${block}`}>
      {right ? "100 %" : `These sum to ${Number(points(sum, 1))} %, not to 100. `}
      {!right && sum > 0 && (
        <button
          type="button"
          class="link"
          data-testid={`scale-${block}`}
          onClick={() =>
            store.shares(
              block,
              one.shares.map((share) => share / sum),
            )
          }
        >
          Scale them
        </button>
      )}
    </p>
  );
}
