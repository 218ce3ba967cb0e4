import type { Gallery, Typical } from "../../../generated/posterior";
import { points, whole } from "../../../lib/format";
import type { Store, View } from "../store";
import { type Face, pickedFace, portraitsOf, shareText, spotStyle, surely } from "./portraits";

/** Where a share stands: with women, with men, or with neither. */
export const sideOf = ({ low, high }: Pick<Typical, "low" | "high">, neutral: number) =>
  low !== null && low > neutral ? "g1" : high !== null && high < neutral ? "g2" : "";

/** The average portrait of each word, beside that of all portraits. */
export function TypicalFaces({ view }: { view: View }) {
  const { typical, neutral } = portraitsOf(view);
  const shown = typical.length > 0 ? typical : [null, null, null];
  return (
    <div class="typical">
      {shown.map((one, i) => (
        <figure key={i} data-testid="typical" data-word={one?.word} data-share={one?.share}>
          <figcaption class="wrap-row spread">
            <b class="t13">{one?.name ?? "\u00a0"}</b>
            {one && (
              <span
                class={`t12 ${one.word ? "strong" : "ink2"} ${sideOf(one, neutral)}`}
                title={interval(one)}
              >
                {shareText(one.share)}
              </span>
            )}
          </figcaption>
          <div
            class={`face large ${one ? "" : "none"}`}
            role="img"
            aria-label={one?.text ?? "Nothing is drawn yet"}
            style={{ "--column": one?.place ?? 0 }}
          />
          <p class="quiet t11">
            {one && (
              <>
                <i
                  class="face large"
                  style={{ "--column": one.average }}
                  title="The average of all attributes"
                />
                {one.note}
              </>
            )}
          </p>
        </figure>
      ))}
    </div>
  );
}

const interval = ({ low, high }: Typical) =>
  low === null || high === null ? undefined : `95 % interval ${points(low)} to ${points(high)} %`;

interface Props {
  store: Store;
  view: View;
}

/** Some of the draws of each word, and some portraits as they are drawn before a word. */
export function Galleries({ store, view }: Props) {
  const { galleries } = portraitsOf(view);
  return (
    <>
      {galleries.map((gallery, i) => (
        <section key={gallery.word} aria-label={gallery.title} data-testid="gallery">
          <header class="wrap-row gallery-head">
            <h2>{gallery.title}</h2>
            <span class="quiet t11">{gallery.note}</span>
            {i === 0 && <Legend />}
          </header>
          <Ends gallery={gallery} />
          <div class="gallery">
            {gallery.faces.map((face) => (
              <Tile key={face.place} store={store} view={view} face={face} />
            ))}
          </div>
        </section>
      ))}
      {galleries.length === 0 &&
        EXPECTED.map(([count, ends], i) => (
          <section key={i}>
            <header class="gallery-head" />
            {ends && <p class="t11">{"\u00a0"}</p>}
            <div class="gallery">
              <Empty count={count} />
            </div>
          </section>
        ))}
    </>
  );
}

/** Portraits of galleries for which room is kept, and whether their ends are told. */
const EXPECTED: readonly [count: number, ends: boolean][] = [
  [24, true],
  [8, true],
  [8, false],
];

function Ends({ gallery: { word, faces } }: { gallery: Gallery }) {
  if (!word) return null;
  return (
    <p class="spread in-line quiet t11">
      <span>
        least imagined: says “{word}” with <b class="nowrap">{surely(faces[0])}</b>
      </span>
      <span>
        most imagined: <b class="nowrap">{surely(faces[faces.length - 1])}</b>
      </span>
    </p>
  );
}

const Legend = () => (
  <span class="push in-line quiet t11 who-key">
    <i class="who woman" /> woman <i class="who man" /> man
  </span>
);

const Empty = ({ count }: { count: number }) => (
  <>
    {Array.from({ length: count }, (_, i) => (
      <i key={i} class="face none" />
    ))}
  </>
);

/** One portrait, with the group that it is drawn as; pressed, it is told in words below. */
function Tile({ store, view, face }: Props & { face: Face }) {
  const held = pickedFace(view)?.place === face.place;
  const says = surely(face) && `, ${surely(face)}`;
  return (
    <button
      type="button"
      class={`face ${held ? "held-face" : ""}`}
      style={spotStyle(face.place, view.sheets.columns)}
      tabIndex={held ? 0 : -1}
      aria-pressed={held}
      aria-label={`${face.title}: ${face.text}${says}`}
      data-place={face.place}
      data-testid="face"
      onClick={() => store.pickFace(face.place)}
    >
      <i class={`who ${face.woman ? "woman" : "man"}`} />
    </button>
  );
}

/** A film strip of each chain: its warm-up, and the steps that are kept. */
export function Films({ store, view }: Props) {
  const { chains, warmup, steps, words } = portraitsOf(view);
  const title = words[0] ? `${count(chains.length)} chains of “${words[0]}”` : "Chains";
  return (
    <>
      <header class="wrap-row gallery-head">
        <h2>{title}</h2>
        {steps > 0 && (
          <span class="quiet t11">
            a row each: {whole(warmup)} steps of warm-up, {whole(steps - warmup)} kept
          </span>
        )}
      </header>
      <div class="films">
        {(chains.length > 0 ? chains : NO_CHAINS).map((chain, i) => (
          <div key={i} class="film" data-testid="film">
            <span class="quiet t11 figure">{i + 1}</span>
            <div class="film-part warm">{chain ? tiles(chain.warmup) : <Empty count={WARM} />}</div>
            <div class="film-part">{chain ? tiles(chain.kept) : <Empty count={KEPT} />}</div>
          </div>
        ))}
      </div>
    </>
  );
  function tiles(faces: readonly Face[]) {
    return faces.map((face) => <Tile key={face.place} store={store} view={view} face={face} />);
  }
}

/** Chains, and portraits of a chain, for which room is kept. */
const [CHAINS, WARM, KEPT] = [8, 3, 9];
const NO_CHAINS = Array.from({ length: CHAINS }, () => null);
const NUMBERS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"];
const count = (n: number) => NUMBERS[n] ?? String(n);
