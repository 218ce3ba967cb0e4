import { useMemo, useRef } from "preact/hooks";
import type { Side, Weat } from "../../generated/association";
import { whole } from "../../lib/format";
import { useFont, useWidth } from "../../lib/hooks";
import { Disclosure } from "../../lib/ui/Disclosure";
import { Chevron } from "../../lib/ui/Icons";
import { Term } from "../../lib/ui/Term";
import { EffectSize } from "./EffectSize";
import { HEIGHT, Histogram } from "./Histogram";
import type { Inputs, Store, View } from "./store";
import { number, range, splitsText } from "./texts";
import { WeatOptions } from "./WeatOptions";
import { observedLine, reachedBy, weatDomain } from "./weat";

interface Props {
  store: Store;
  view: View;
  side: Side | null;
  when: string;
  main: boolean;
}

/** WEAT on the same lists: what chance makes of them, what was observed, and its ceiling. */
export function WeatPanel({ store, view, side, when, main }: Props) {
  const { picture } = view.answer;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 420);
  useFont(box);
  const weat = side?.weat ?? null;
  return (
    <section class="panel weat" aria-label={`WEAT${when}`} data-testid="weat-panel">
      <header class="panel-head wrap-row">
        <h2>
          <Term name="WEAT">Word Embedding Association Test (WEAT)</Term>, same lists{when}
        </h2>
        {main && (
          <Disclosure
            label="What WEAT compares"
            text={
              <>
                <span class="ellipsis" title={weat?.groups.join(" and ")}>
                  {weat ? weat.groups.join(" and ") : "Choose groups"}
                </span>
                <Chevron />
              </>
            }
            look="button in-line"
            testid="weat-options"
            class="weat-choice right-card"
          >
            {() => <WeatOptions store={store} view={view} />}
          </Disclosure>
        )}
      </header>
      <div ref={box} class="weat-box">
        {weat ? (
          <Drawn weat={weat} view={view} width={width} />
        ) : (
          <p class="why-not" style={{ minHeight: `${HEIGHT}px` }} data-testid="weat-reason">
            {side?.weat_reason || (picture ? "WEAT needs two groups and two lists." : "")}
          </p>
        )}
      </div>
      {main && weat && <p class="under">{plainly(weat, side!)}</p>}
    </section>
  );
}

function Drawn({ weat, view, width }: { weat: Weat; view: View; width: number }) {
  const { picture } = view.answer;
  const { alternative } = view.inputs;
  const domain = useMemo(() => weatDomain(picture), [picture]);
  const reached = useMemo(() => reachedBy(weat, alternative), [weat, alternative]);
  const lines = useMemo(() => [observedLine(weat)], [weat]);
  return (
    <>
      <svg
        class="drawing"
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`Permutation distribution: observed ${number(weat.statistic, 3)}; ${splitsText(weat)}`}
        data-testid="weat"
        data-statistic={weat.statistic}
        data-p={weat.p}
        data-exceed={weat.exceed}
        data-partitions={weat.partitions}
        data-exact={weat.exact}
        data-statistic-low={weat.statistic_low ?? undefined}
        data-statistic-high={weat.statistic_high ?? undefined}
        data-effect={weat.effect_size ?? undefined}
        data-low={weat.low ?? undefined}
        data-high={weat.high ?? undefined}
        data-ceiling={weat.ceiling}
      >
        <Histogram
          edges={weat.null_edges}
          counts={weat.null_counts}
          domain={domain}
          width={width}
          neutral="no association 0"
          axis="difference of means, over all splits of the words"
          lines={lines}
          reached={reached}
        />
      </svg>
      <p class="effect" data-testid="effect">
        Difference of means <b>{number(weat.statistic, 3)}</b>
        {weat.statistic_low !== null && <> ({range(weat.statistic_low, weat.statistic_high, 3)})</>}
        {alternative !== "greater" && `, ${SIDES[alternative]}`}
        <br />
        Effect size {number(weat.effect_size)}
        {weat.low !== null && <> ({range(weat.low, weat.high)})</>}, ceiling {number(weat.ceiling)}{" "}
        with an SD over {weat.ddof === 1 ? "n − 1" : "n"}
      </p>
      <EffectSize weat={weat} width={width} />
      {weat.people && (
        <p class="under" data-testid="people">
          {weat.people}
        </p>
      )}
    </>
  );
}

const SIDES: Record<Inputs["alternative"], string> = {
  greater: "one-sided",
  less: "one-sided, less",
  "two-sided": "two-sided",
};

function plainly(weat: Weat, side: Side): string {
  return `From ${whole(side.total)} distances WEAT keeps one number about ${weat.attributes.join(" and ")}. The points above show how little, or how much, stands behind it.`;
}
