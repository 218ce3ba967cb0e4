import { useRef } from "preact/hooks";
import { Cues, Wordings } from "./Chips";
import { EditCase } from "./EditCase";
import { Groups } from "./Groups";
import { isAlone, type Store, type View, wordingOf } from "./store";
import { filled, levelOf } from "./texts";

/** The case as it is sent, and the cues and wordings that can stand in it. */
export function CaseSection({ store, view }: { store: Store; view: View }) {
  const wording = wordingOf(view);
  const count = view.card.wordings.length;
  return (
    <section class="case" aria-label="The case">
      <div class="case-text">
        <p class="small-head spread t12">
          <span>The case</span>
          <span class="quiet">{count > 0 && `wording ${wording} of ${count}`}</span>
        </p>
        {view.draft === null ? (
          <Card store={store} view={view} wording={wording} />
        ) : (
          <EditCase store={store} view={view} draft={view.draft} />
        )}
      </div>
      <div class="case-chips">
        <Groups store={store} view={view} />
        <Cues store={store} view={view} group={0} />
        <Cues store={store} view={view} group={1} />
        <Wordings store={store} view={view} />
      </div>
    </section>
  );
}

interface CardProps {
  store: Store;
  view: View;
  wording: number;
}

function Card({ store, view, wording }: CardProps) {
  return (
    <div class="card held" data-testid="case-card">
      {/* The longest wording keeps its room. */}
      {view.card.wordings.map((_, i) => (
        <p key={i} class="in ghost" aria-hidden="true">
          {filled(view, i + 1)
            .map((piece) => piece.text)
            .join("")}
        </p>
      ))}
      <p class="in">
        {filled(view, wording).map((piece, i) =>
          piece.kind === "cue" ? (
            <span key={i} class={`chip c${piece.of + 1}`} data-testid="cue-chip">
              {piece.text}
            </span>
          ) : piece.kind === "x" ? (
            isAlone(view) || piece.of === 1 ? (
              <Level key={i} store={store} view={view} text={piece.text} />
            ) : (
              <b key={i}>{piece.text}</b>
            )
          ) : (
            <span key={i}>{piece.text}</span>
          ),
        )}
      </p>
    </div>
  );
}

const PIXELS_PER_STEP = 6;

/** The level in the text: dragged sideways it moves the handle, in the same frame. */
function Level({ store, view, text }: { store: Store; view: View; text: string }) {
  const from = useRef<{ pointer: number; at: number; x: number } | null>(null);
  return (
    <span
      class="level-chip"
      data-testid="x-chip"
      title={`${levelOf(view, view.inputs.x)}: drag sideways`}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { pointer: event.pointerId, at: event.clientX, x: view.inputs.x };
        store.drag(true);
        event.preventDefault();
      }}
      onPointerMove={(event) => {
        const begun = from.current;
        if (begun?.pointer !== event.pointerId) return;
        const steps = Math.round((event.clientX - begun.at) / PIXELS_PER_STEP);
        store.move(begun.x + steps * view.card.step);
      }}
      onPointerUp={() => {
        from.current = null;
        store.drag(false);
      }}
      onPointerCancel={() => {
        from.current = null;
        store.drag(false);
      }}
    >
      {text}
    </span>
  );
}
