import type { Quantity } from "../../../generated/posterior";
import { cellsOf, HEADS, isLarge } from "../Diagnostics";
import type { Store, View } from "../store";
import { Running, Shares } from "./Charts";
import { Films, Galleries, TypicalFaces } from "./Faces";
import { facesOf, pickedFace, portraitsOf, spotStyle, surely } from "./portraits";
import { Shifts } from "./Shifts";
import { useSheet } from "./sheet";

interface Props {
  store: Store;
  view: View;
  stale: boolean;
}

/** The faces that a model imagines for one word, or for two. */
export function Screen({ store, view, stale }: Props) {
  const portraits = portraitsOf(view);
  const { small, large, columns, rows, large_columns } = view.sheets;
  const sheets = {
    "--sheet": useSheet(small),
    "--large-sheet": useSheet(large),
    "--columns": columns,
    "--rows": rows,
    "--large-columns": large_columns,
  };
  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const on = (event.target as Element).closest(".face");
    if (!by || !on || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const place = go(store, by);
    const parts = event.currentTarget as HTMLElement;
    parts.querySelector<HTMLElement>(`[data-place="${place}"]`)?.focus();
  };
  return (
    <div
      class={`faces ${stale ? "stale" : ""}`}
      role="group"
      aria-label="Portraits"
      style={sheets}
      onKeyDown={step}
    >
      <div class="two">
        <section class="panel" aria-label="Typical portraits">
          <TypicalFaces view={view} />
          <Shares store={store} view={view} />
        </section>
        <section class="panel" aria-label="Draws">
          <Galleries store={store} view={view} />
        </section>
      </div>
      <div class="two">
        <section class="panel" aria-label="Chains">
          <Films store={store} view={view} />
          <Running portraits={portraits} />
          <Diagnostics view={view} />
          <p class="under">{portraits.chains_note}</p>
        </section>
        <Shifts view={view} />
      </div>
      <Selected store={store} view={view} />
    </div>
  );
}

function Diagnostics({ view }: { view: View }) {
  const quantities = view.answer.picture?.quantities ?? [];
  return (
    <table class="numbers face-numbers" data-testid="diagnostics">
      <thead>
        <tr>
          <th scope="col">{portraitsOf(view).words[0] ?? "Quantity"}</th>
          {HEADS.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {quantities.map((q) => (
          <Row key={q.name} quantity={q} />
        ))}
      </tbody>
    </table>
  );
}

const Row = ({ quantity: q }: { quantity: Quantity }) => (
  <tr data-testid="quantity" data-name={q.name}>
    <th scope="row">{q.label}</th>
    {cellsOf(q).map((text, i) => (
      <td key={HEADS[i]} class={i ? "" : isLarge(q) ? "bad figure" : "strong"}>
        {text}
      </td>
    ))}
  </tr>
);

/** Picks the draw before or after the one that is picked; returns its place. */
function go(store: Store, by: number): number {
  const faces = facesOf(portraitsOf(store.view));
  const now = faces.indexOf(pickedFace(store.view)!);
  const { place } = faces[(now + by + faces.length) % faces.length]!;
  store.pickFace(place);
  return place;
}

/** The portrait that is picked, in words. Its room is reserved. */
function Selected({ store, view }: { store: Store; view: View }) {
  const face = pickedFace(view);
  return (
    <div class="word-card picked-face t12" data-testid="picked-face">
      {face ? (
        <>
          <i class="face" style={spotStyle(face.place, view.sheets.columns)} aria-hidden="true" />
          <p class="word-facts wrap-row" aria-live="polite">
            <b>{face.title}</b>
            <span>{face.text}</span>
            {face.p !== null && (
              <span>
                says “{face.word}” with <b>{surely(face)}</b>
              </span>
            )}
          </p>
          <span class="in-line nowrap quiet push">
            {[-1, 1].map((by) => (
              <button
                key={by}
                type="button"
                class="button step-face"
                aria-label={by < 0 ? "Draw before" : "Next draw"}
                onClick={() => go(store, by)}
              >
                {by < 0 ? "←" : "→"}
              </button>
            ))}{" "}
            next draw
          </span>
        </>
      ) : (
        <span class="quiet">Press a portrait, or use the arrow keys, to read what is drawn.</span>
      )}
    </div>
  );
}
