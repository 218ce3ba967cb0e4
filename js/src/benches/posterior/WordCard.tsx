import { many } from "../../lib/format";
import { Disclosure } from "../../lib/ui/Disclosure";
import { labelsOf, rowFor, type Store, toneOf, type View, wordNow } from "./store";
import { distanceText, halfText, signed, whole } from "./texts";

/** A reserved line for the word that is pointed at or picked: all that is known about it. */
export function WordCard({ view }: { store: Store; view: View }) {
  const { picture } = view.answer;
  const words = picture?.words ?? null;
  const word = wordNow(view);
  const row = rowFor(view, word);
  const inPlane = picture?.plane?.words.find((w) => w.word === word);
  const difference = row?.difference ?? inPlane?.difference ?? null;
  return (
    <div class={`word-card t12 ${word && word === view.inputs.word ? "held" : ""}`}>
      <p
        class="word-facts wrap-row"
        aria-live="polite"
        data-testid="word-card"
        data-word={word || undefined}
      >
        {word ? (
          <>
            <b class="word-name">
              <bdi>{word}</bdi>
            </b>
            {row && (
              <>
                <span>
                  distance <b data-testid="word-distance">{distanceText(row)}</b> ± {halfText(row)}
                </span>
                <span>
                  rank <b data-testid="word-rank">{whole(row.rank)}</b> of{" "}
                  {whole(words?.total ?? 0)}
                </span>
              </>
            )}
            {difference !== null && <Difference view={view} difference={difference} />}
            {!row && difference === null && words && (
              <span class="quiet">
                {inPlane ? "pick it for its distance and rank" : "no distance known yet"}
              </span>
            )}
          </>
        ) : (
          <span class="quiet">
            Point at a word, click one or search for it: its distance, rank and likelihood.
          </span>
        )}
      </p>
      <Dropped view={view} />
    </div>
  );
}

function Difference({ view, difference }: { view: View; difference: number }) {
  const [shown, other] = labelsOf(view);
  const toward = difference > 0 ? shown : other;
  return (
    <span>
      log p(s | {shown}) − log p(s | {other}){" "}
      <b class={`tone-text-${toneOf(view, toward)}`} data-testid="word-difference">
        {signed(difference, 1)}
      </b>
    </span>
  );
}

const MOST_LISTED = 300;

function Dropped({ view }: { view: View }) {
  const { dropped, picture } = view.answer;
  const unknown = picture?.words?.unknown ?? 0;
  const n = Math.max(unknown, dropped.length);
  if (n === 0) return null;
  const text = `${many(n, "word")} left out`;
  if (dropped.length === 0) return <span class="quiet">{text}: not known to the subject</span>;
  return (
    <Disclosure label="Words left out" text={text} testid="dropped" class="left-out outer-card">
      {() => (
        <ul class="plain-list">
          {dropped.slice(0, MOST_LISTED).map((d) => (
            <li key={`${d.role} ${d.term}`}>
              <b>
                <bdi>{d.term}</bdi>
              </b>
              : {d.reason}
            </li>
          ))}
          {n > Math.min(dropped.length, MOST_LISTED) && (
            <li>and {whole(n - Math.min(dropped.length, MOST_LISTED))} more: see the CSV export</li>
          )}
        </ul>
      )}
    </Disclosure>
  );
}
