import { spotNow } from "../../../lib/bench/tested";
import { points } from "../../../lib/format";
import { SpotGrid } from "../../../lib/three-steps/SpotGrid";
import { conceptNames, imageOf, type Store, type View } from "../store";
import { placeText, toneSaid } from "../texts";
import { gridLabel, Lines } from "./Lines";
import { FOOT, HEAD } from "./layout";
import type { Model, Table } from "./table";

interface Props {
  store: Store;
  view: View;
  table: Table;
}

/** Per model and term an interval around 50, and a square for each picture. */
export function Panels({ store, view, table }: Props) {
  const { rows, at, g, models } = table;
  const spot = spotNow(view);
  const term = spot && imageOf(view, spot.id)?.term;
  const name = typeof term === "number" ? view.images.terms[term]?.name : undefined;
  const active = rows.find((row) => row.name === name)?.key ?? "";
  const [one, two] = conceptNames(view);
  const high = HEAD + at.height + FOOT;
  return (
    <div class="model-panels" data-testid="panels">
      {models.map((model) => (
        <section key={model.name} aria-label={model.name}>
          {models.length > 1 && (
            <h2 class="model-name t13">
              {model.name} {model.state !== "done" && <span class="quiet">{model.state}</span>}
            </h2>
          )}
          <div class="model-panel" style={{ height: `${high}px` }}>
            <svg class="drawing" width={g.width} height={high} role="presentation">
              <Lines
                {...{ rows, at, g, model, one, two, active }}
                count={view.images.images.length}
              />
            </svg>
            <div class="squares-at" style={{ left: `${g.grid}px`, top: `${HEAD}px` }}>
              <Grid store={store} view={view} table={table} model={model} />
            </div>
          </div>
        </section>
      ))}
    </div>
  );
}

function Grid({ store, view, table, model }: Props & { model: Model }) {
  const { name } = model;
  return (
    <SpotGrid
      store={store}
      view={view}
      table={table}
      model={model}
      label={gridLabel(name, view.images.images.length)}
      labelOf={(id) => {
        const image = imageOf(view, id);
        if (!image) return "";
        const { score, tone } = table.scored(name, id);
        const said = score === null ? "" : `, score ${points(score)}`;
        return `${placeText(view.images, image)}, ${toneSaid(tone)}${said}: ${image.alt}`;
      }}
    />
  );
}
