import type { MorphPicture } from "../../../generated/images";
import { Progress } from "../../../lib/bench/RunLine";
import { Spans } from "../../../lib/bench/Verdict";
import { percent } from "../../../lib/format";
import { optionsOf, Select } from "../../../lib/ui/Controls";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { FileButton } from "../../../lib/ui/FileButton";
import { sendAll } from "../pictures/files";
import { Portrait } from "../pictures/PictureCard";
import { morphModel, type Store, type View } from "../store";
import { Bars } from "../test/Card";
import { Blend } from "./Blend";

/** Portraits that blend from one group to the other: at which the model's answer turns. */
export function Explorer({ store, view }: { store: Store; view: View }) {
  const { morph, inputs } = view;
  const { state, picture, items, observers, sources } = morph;
  const item = items.includes(inputs.morph_item)
    ? inputs.morph_item
    : (picture?.item ?? view.morph_at.item);
  return (
    <section
      class="explorer"
      aria-label="Morph explorer"
      data-testid="morph"
      data-state={state}
      data-item={picture?.item}
    >
      <header class="explorer-head wrap-row">
        <h2>Morph explorer</h2>
        <span class="ink2 t12">
          {morph.about || "drag the blend; clothes and tools stay the same"}
        </span>
        <div class="explorer-tools wrap-row">
          {inputs.models.length > 1 && (
            <Select
              {...store.input("morph_model")}
              label="model"
              value={morphModel(view)}
              options={optionsOf(inputs.models)}
            />
          )}
          <Select
            {...store.input("morph_item")}
            label="occupation"
            value={item}
            options={optionsOf(items)}
          />
          {observers.length > 1 && (
            <Select
              label="portrait"
              testid="morph-observer"
              value={String(inputs.morph_observer)}
              options={observers.map((label, i) => ({ value: String(i), label }))}
              onChange={(value) => store.set({ morph_observer: Number(value) })}
            />
          )}
          <Disclosure
            label="Which morphs"
            text="Morphs…"
            testid="morph-sources"
            look="button plain"
            class="card menu-card right-card"
          >
            {(close) => (
              <div class="stack">
                <Select
                  {...store.input("morph_source")}
                  label="Shown"
                  options={sources.map(({ key, label }) => ({ value: key, label }))}
                />
                <p class="quiet">{sources.find((s) => s.key === inputs.morph_source)?.about}</p>
                <OwnMorphs store={store} onDone={close} />
              </div>
            )}
          </Disclosure>
        </div>
      </header>
      <p class="explorer-verdict" data-testid="morph-verdict">
        {state === "error" ? (
          <span class="bad" role="alert">
            {morph.message}
          </span>
        ) : (
          picture && (
            <>
              <Spans spans={picture.verdict} /> <span class="quiet t12">{picture.caveat}</span>
            </>
          )
        )}
      </p>
      <div class="explorer-body">
        <Blend store={store} view={view} />
        <Shown view={view} />
      </div>
      <div class="run-line explorer-run wrap-row">
        {state === "asking" ? (
          <>
            <button
              type="button"
              class="button"
              data-testid="morph-stop"
              onClick={() => void store.quietly("morph-stop")}
            >
              Stop
            </button>
            <Progress done={morph.done} total={morph.total} label="Portraits" />
            <span class="run-text ink2 t12" data-testid="morph-status">
              {morph.message || `${morph.done} of ${morph.total} portraits`}
            </span>
          </>
        ) : (
          <>
            {state !== "ready" && (
              <button
                type="button"
                class="button"
                data-testid="morph-ask"
                disabled={inputs.models.length === 0}
                onClick={() => void store.quietly("morph")}
              >
                {state === "error" ? "Try again" : "Ask about the morphs"}
              </button>
            )}
            <span class="run-text ink2 t12">
              {!picture && state !== "error" && (morph.message || HINT)}
              {picture?.jnd_label && picture.jnd !== null && (
                <span data-testid="jnd" data-value={picture.jnd}>
                  JND {percent(picture.jnd, 1)} ({picture.jnd_label})
                </span>
              )}
              {picture?.fit && (
                <>
                  {picture.jnd !== null && ". "}
                  <span class="quiet" data-testid="fit-verdict">
                    {fitLine(picture)}
                  </span>
                </>
              )}
            </span>
          </>
        )}
      </div>
    </section>
  );
}

/** How well the curve describes the answers, and what the broken lines are. */
function fitLine({ fit, curve, level }: MorphPicture): string {
  if (!fit?.predicted.length) return `${fit?.verdict}.`;
  const share = `${Math.round(100 * level)} %`;
  return `${fit.verdict}. Broken lines: ${share} of mean answers of ${curve.observers.length} new portraits.`;
}

const HINT =
  "Portraits between the two groups are shown to the model: how much of the second makes its answer turn.";

/** A folder of one's own photographs, with all that is in it. */
function OwnMorphs({ store, onDone }: { store: Store; onDone: () => void }) {
  return (
    <>
      <FileButton
        text="Own photographs…"
        testid="morph-upload"
        several
        folder
        onPick={(files) => {
          onDone();
          // In the chosen folder: ITEM/OBSERVER/PICTURE.
          const name = (file: File) => {
            const path = (file.webkitRelativePath || file.name).split("/");
            return path.length > 3 ? path.slice(-3).join("/") : path.join("/");
          };
          if (files.length > 0) void sendAll(store, files, "morph-upload", {}, name);
        }}
      />
      <p class="quiet">
        A folder with one folder for each occupation, in it one for each pair of people with the
        pictures between them in order; or two pictures, which are cross-faded.
      </p>
    </>
  );
}

/** The portrait under the slider, with the blend and both probabilities. */
function Shown({ view }: { view: View }) {
  const { morph_at: at, morph, inputs } = view;
  const [one, two] = morph.cues;
  const current = at.item !== "" && (!morph.picture || at.item === morph.picture.item);
  const answer = current ? at.answer : null;
  return (
    <div
      class="shown"
      data-testid="morph-at"
      data-alpha={current ? at.alpha : undefined}
      data-answer={answer ?? undefined}
    >
      <Portrait address={current ? at.picture : undefined} alt={at.alt} />
      <p class="shown-line spread">
        <b class="accent" data-testid="alpha-value">
          α = {percent(inputs.alpha)}
        </b>
        {answer !== null && (
          <span>
            this portrait: <b class={answer > 0.5 ? "g2" : "g1"}>{answer > 0.5 ? two : one}</b>
          </span>
        )}
      </p>
      <Bars
        rows={[
          [one, answer === null ? null : 1 - answer, "g1"],
          [two, answer, "g2"],
        ]}
        testid="morph-probability"
      />
      <span class="visually-hidden">{at.alt}</span>
    </div>
  );
}
