import type { ImageRow, ModelAnswer } from "../../../generated/images";
import { spotNow } from "../../../lib/bench/tested";
import { fixed } from "../../../lib/format";
import { Portrait } from "../pictures/PictureCard";
import { conceptNames, imageOf, type Store, type View } from "../store";
import { placeText, toneSaid } from "../texts";
import type { Table } from "./table";

interface Props {
  store: Store;
  view: View;
  table: Table;
  onStep: (by: -1 | 1) => void;
}

/** The picture that is pointed at or held, with what the models say. Its room is reserved. */
export function Card({ store, view, table, onStep }: Props) {
  const spot = spotNow(view);
  const image = spot && imageOf(view, spot.id);
  if (!spot || !image)
    return (
      <aside class="look-card empty" aria-label="Picture" data-testid="card">
        <p class="quiet">
          Point at a square, or use the arrow keys in the squares: the picture, and what the model
          says of it. A click holds it.
        </p>
      </aside>
    );
  const detail = view.detail.id === image.id ? view.detail : null;
  const said = detail?.models.find((m) => m.name === spot.model);
  const others = detail?.models.filter((m) => m.name !== spot.model) ?? [];
  const cell = table.models.find((m) => m.name === spot.model)?.squares.places.get(image.id);
  const row = cell && table.rows[cell.row];
  const concepts = conceptNames(view);
  const own = view.images.terms[image.term]?.group === 1 ? 1 : 0;
  return (
    <aside
      class="look-card"
      aria-label="Picture"
      data-testid="card"
      data-image={image.id}
      data-detailed={view.detail.id}
      data-model={spot.model}
    >
      <header class="card-head">
        <Portrait address={detail?.picture || store.pictures.get(image.id)} alt={image.alt} />
        <div>
          <b data-testid="card-place">{detail?.place || placeText(view.images, image)}</b>
          <p class="ink2" data-testid="card-alt">
            {image.alt}
          </p>
          {row && (
            <p class="quiet t11">
              square {cell.at + 1} of {row.ids.length}
            </p>
          )}
        </div>
      </header>
      {table.models.length > 1 && <p class="bold">{spot.model}</p>}
      {said?.both ? (
        <Said said={said} concepts={concepts} own={own} image={image} />
      ) : (
        <p class="ink2 card-none">
          {said?.failure || toneSaid(table.scored(spot.model, image.id).tone)}
        </p>
      )}
      {others.length > 0 && (
        <ul class="card-lines">
          {others.map((model) => (
            <li key={model.name} data-testid="other" data-model={model.name}>
              <button
                type="button"
                class="link"
                onClick={() => store.point({ id: image.id, model: model.name })}
              >
                same picture, {model.name}
              </button>
              <span data-value={model.both?.[own]}>
                {model.both ? `${concepts[own]} ${fixed(model.both[own], 2)}` : "–"}
              </span>
            </li>
          ))}
        </ul>
      )}
      {/* A key of its own: else another paragraph may become it, and the focus is lost. */}
      <p key="step-keys" class="step-keys t11 push">
        <button type="button" class="key" aria-label="Previous picture" onClick={() => onStep(-1)}>
          ←
        </button>
        <button
          type="button"
          class="key"
          aria-label="Next picture"
          data-testid="next-picture"
          onClick={() => onStep(1)}
        >
          →
        </button>
        <span>next picture</span>
      </p>
    </aside>
  );
}

interface SaidProps {
  said: ModelAnswer;
  concepts: readonly [string, string];
  /** The list that is tied to the picture's group. */
  own: 0 | 1;
  image: ImageRow;
}

function Said({ said, concepts, own, image }: SaidProps) {
  const { both, by_template, by_concept } = said;
  const order = [own, own === 0 ? 1 : 0] as const;
  const templates = by_template.length;
  const template = by_template[0]?.[0].includes("{concept}") ? "caption" : "question";
  return (
    <>
      <p class="quiet">
        {templates > 1 ? `pooled over ${templates} ${template}s` : "probability of each list"}
      </p>
      <Bars
        rows={order.map((list) => [concepts[list], both![list], list === own ? "with" : "against"])}
        testid="probability"
      />
      {templates > 1 && (
        <>
          <p class="quiet card-rule">
            {concepts[own]}, by {template}
          </p>
          <ul class="card-lines" data-testid="by-template">
            {by_template.map(([text, ...lists]) => (
              <li key={text}>
                <span>{text}</span>
                <b data-value={lists[own]}>{fixed(lists[own]!, 2)}</b>
              </li>
            ))}
          </ul>
        </>
      )}
      {by_concept.length > 2 && (
        <details class="card-rule" key={image.id}>
          <summary class="quiet">each of {by_concept.length} concepts</summary>
          <ul class="card-lines" data-testid="by-concept">
            {by_concept.map(([text, list, value]) => (
              <li key={text} class={list === own ? "with" : "against"}>
                <span>{text}</span>
                <b data-value={value}>{fixed(value, 2)}</b>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

interface BarsProps {
  /** Name, probability, look. */
  rows: readonly (readonly [string, number | null, string])[];
  testid: string;
}

/** Probabilities as bars from 0 to 1. */
export function Bars({ rows, testid }: BarsProps) {
  return (
    <div class="bars">
      {rows.map(([name, value, look]) => (
        <div key={name} class={`bar-row ${look}`}>
          <span>{name}</span>
          <i>
            <i style={{ width: `${100 * (value ?? 0)}%` }} />
          </i>
          <b data-testid={testid} data-name={name} data-value={value ?? undefined}>
            {value === null ? "–" : fixed(value, 2)}
          </b>
        </div>
      ))}
    </div>
  );
}
