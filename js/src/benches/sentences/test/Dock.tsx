import { useLayoutEffect, useRef } from "preact/hooks";
import type { ModelDetail, PairRow } from "../../../generated/sentences";
import { type Spot, spotNow } from "../../../lib/bench/tested";
import { fixed } from "../../../lib/format";
import { pairOf, type Store, type View } from "../store";
import { OUTCOMES, placeText, signed } from "../texts";
import { Version } from "../Version";
import { VersionEditor } from "../VersionEditor";
import type { Scored } from "./rows";
import { Words } from "./Words";

interface Props {
  store: Store;
  view: View;
  scored: Scored;
  onStep: (by: -1 | 1) => void;
}

/** The pair that is pointed at or held, word by word. Its room is reserved. */
export function Dock({ store, view, scored, onStep }: Props) {
  const dock = useRef<HTMLElement>(null);
  const { editing } = view;
  const spot: Spot | null = editing ?? spotNow(view);
  const pair = spot && pairOf(view, spot.id);
  const back = useRef<HTMLElement | null>(null);
  const opened = useRef(false);
  if (editing && !opened.current) {
    // Before the fields take it: where the focus goes back to.
    const root = dock.current?.getRootNode() as Document | ShadowRoot | undefined;
    back.current = (root?.activeElement as HTMLElement | null | undefined) ?? null;
  }
  opened.current = editing !== null;
  useLayoutEffect(() => {
    if (editing || !back.current) return;
    const again = dock.current?.querySelector<HTMLElement>("[data-testid=edit-pair]");
    (back.current.isConnected ? back.current : again)?.focus();
    back.current = null;
  }, [editing]);
  return (
    <section
      ref={dock}
      class={`dock ${pair ? "" : "empty"}`}
      aria-label="Word by word"
      data-testid="dock"
      data-pair={pair?.id}
      data-worded={view.detail.pair}
    >
      {!pair || !spot ? (
        <p class="quiet dock-hint">
          Point at a square, or use the arrow keys in the squares: both versions, word by word. A
          click holds the pair.
        </p>
      ) : (
        <>
          <header class="dock-head wrap-row">
            <b class="t13 bold" data-testid="dock-place">
              {placeOf(view, pair)}
            </b>
            <span class="ink2">{spot.model}</span>
            {pair.remark && <span class="warn-text t11">{pair.remark}</span>}
            {!editing && <Keys store={store} spot={spot} onStep={onStep} />}
          </header>
          {editing ? (
            <Editors store={store} pair={pair} />
          ) : (
            <Inside store={store} view={view} pair={pair} spot={spot} scored={scored} />
          )}
        </>
      )}
    </section>
  );
}

/** Its place in its attribute; Python also knows its kind of bias where it has no attribute. */
const placeOf = ({ detail, sentences }: View, pair: PairRow) =>
  (detail.pair === pair.id && detail.place) || placeText(sentences.pairs, pair);

function Keys({ store, spot, onStep }: { store: Store; spot: Spot; onStep: Props["onStep"] }) {
  return (
    <span class="step-keys t11 push">
      <button type="button" class="key" aria-label="Previous pair" onClick={() => onStep(-1)}>
        ←
      </button>
      <button
        type="button"
        class="key"
        aria-label="Next pair"
        data-testid="next-pair"
        onClick={() => onStep(1)}
      >
        →
      </button>
      <span>next pair</span>
      <button
        type="button"
        class="key"
        aria-label="Edit this pair"
        data-testid="edit-pair"
        onClick={() => store.edit(spot)}
      >
        E
      </button>
      <span>edit and score again</span>
    </span>
  );
}

function Editors({ store, pair }: { store: Store; pair: PairRow }) {
  const done = () => store.edit(null);
  return (
    <div class="editors">
      <span class="with t11">stereotyped</span>
      <VersionEditor
        store={store}
        pair={pair.id}
        version="stereotyped"
        text={pair.stereotyped}
        label="Stereotyped version"
        first
        onDone={done}
      />
      <span class="against t11">against</span>
      <VersionEditor
        store={store}
        pair={pair.id}
        version="against"
        text={pair.against}
        label="Version against it"
        onDone={done}
      />
    </div>
  );
}

interface InsideProps {
  store: Store;
  view: View;
  pair: PairRow;
  spot: Spot;
  scored: Scored;
}

function Inside({ store, view, pair, spot, scored }: InsideProps) {
  const detail = view.detail.pair === pair.id ? view.detail : null;
  const names = detail?.models.map((m) => m.name) ?? [];
  const index = names.indexOf(spot.model);
  const models = detail?.models ?? unscored(view, pair, scored);
  const here = models.find((m) => m.name === spot.model);
  const others = models.filter((m) => m.name !== spot.model);
  return (
    <div class="dock-body">
      {detail && detail.words.length > 0 ? (
        <Words
          words={detail.words}
          model={Math.max(index, 0)}
          groups={pair.groups}
          unit={detail.unit}
        />
      ) : (
        <Plain pair={pair} />
      )}
      {here && <Here model={here} />}
      {others.length > 0 && (
        <div class="others column rigid">
          {others.map((model) => (
            <Other
              key={model.name}
              model={model}
              onPick={() => store.point({ id: pair.id, model: model.name })}
            />
          ))}
        </div>
      )}
    </div>
  );
}

/** Until the words come: both versions, with what differs. */
function Plain({ pair }: { pair: PairRow }) {
  return (
    <div class="rest plain-versions">
      <span class="with t11">stereotyped</span>
      <Version pair={pair} side={0} />
      <span class="against t11">against</span>
      <Version pair={pair} side={1} />
    </div>
  );
}

/** What is known before Python has taken the pair apart. */
function unscored(view: View, pair: PairRow, scored: Scored): ModelDetail[] {
  return view.inputs.models.map((name) => {
    const { odds, outcome } = scored(name, pair.id);
    return {
      name,
      log_score: null,
      log_score_against: null,
      log_odds: odds,
      outcome: outcome as ModelDetail["outcome"],
      ratio: "",
      failure: "",
    };
  });
}

const tone = ({ outcome }: ModelDetail) =>
  outcome === "s" ? "with" : outcome === "a" ? "against" : "ink2";

function Here({ model }: { model: ModelDetail }) {
  const { log_score, log_score_against, log_odds } = model;
  return (
    <div class="here" data-testid="here" data-model={model.name} data-odds={log_odds}>
      <p class="ink2" data-testid="log-p" data-value={log_score}>
        {log_score === null ? "" : `log p ${fixed(log_score, 2)}`}
      </p>
      <Odds model={model} />
      <p class="ink2" data-testid="log-p-against" data-value={log_score_against}>
        {log_score_against === null ? "" : `log p ${fixed(log_score_against, 2)}`}
      </p>
    </div>
  );
}

function Odds({ model }: { model: ModelDetail }) {
  const { log_odds, failure, ratio } = model;
  if (log_odds === null)
    return <p class="ink2 odds">{failure || OUTCOMES[model.outcome] || "not scored yet"}</p>;
  return (
    <p class="odds">
      <b class={tone(model)}>log-odds {signed(log_odds)}</b>
      <span class="ink2">{ratio}</span>
    </p>
  );
}

function Other({ model, onPick }: { model: ModelDetail; onPick: () => void }) {
  return (
    <div class="other" data-testid="other" data-model={model.name} data-odds={model.log_odds}>
      <button type="button" class="link" onClick={onPick}>
        same pair, {model.name}
      </button>
      <Odds model={model} />
    </div>
  );
}
