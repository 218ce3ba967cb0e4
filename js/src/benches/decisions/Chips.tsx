import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { cueOf, isAlone, type Store, type View, wordingOf } from "./store";

/** The cues of a group: a click puts one into the text, a drag out of the row refits without it. */
export function Cues({ store, view, group }: { store: Store; view: View; group: 0 | 1 }) {
  const { card, inputs } = view;
  const own = card.groups[group];
  if (!own) return null;
  const inText = cueOf(view, group);
  const isShown = !isAlone(view) || inputs.person === group + 1;
  return (
    <fieldset class="chips" data-testid={`cues-${group + 1}`}>
      <legend class={`g${group + 1}`}>{own.name}</legend>
      <div class="chip-row wrap-row">
        {own.cues.map(({ text }) => (
          <Chip
            key={text}
            label={text}
            look={`chip c${group + 1}`}
            testid={`cue-${text}`}
            chosen={isShown && text === inText}
            out={inputs.without_cues.includes(text)}
            onPick={() => store.address(group, text)}
            onOut={() => store.leaveOut(text)}
          >
            {text}
          </Chip>
        ))}
      </div>
    </fieldset>
  );
}

/** The wordings: as the cues. */
export function Wordings({ store, view }: { store: Store; view: View }) {
  const { card, inputs } = view;
  if (card.wordings.length < 2) return null;
  const now = wordingOf(view);
  return (
    <fieldset class="chips" data-testid="wordings">
      <legend class="ink2">
        Wordings <span class="quiet">drag a wording or a name out to refit without it</span>
      </legend>
      <div class="chip-row wrap-row">
        {card.wordings.map((_, i) => (
          <Chip
            key={i}
            label={`Wording ${i + 1}`}
            look="chip number"
            testid={`wording-${i + 1}`}
            chosen={now === i + 1}
            out={inputs.without_wordings.includes(i + 1)}
            onPick={() => store.set({ wording: i + 1 })}
            onOut={() => store.leaveOutWording(i + 1)}
          >
            {i + 1}
          </Chip>
        ))}
      </div>
    </fieldset>
  );
}

const FAR = 28;

interface ChipProps {
  label: string;
  look: string;
  testid: string;
  chosen: boolean;
  out: boolean;
  onPick: () => void;
  onOut: () => void;
  children: ComponentChildren;
}

/** One that is left out is struck through; a click brings it back. */
function Chip({ label, look, testid, chosen, out, onPick, onOut, children }: ChipProps) {
  const from = useRef<{ x: number; y: number } | null>(null);
  const [shift, setShift] = useState<{ x: number; y: number } | null>(null);
  const isFar = (moved: { x: number; y: number }) => Math.hypot(moved.x, 2 * moved.y) > 2 * FAR;
  const far = shift !== null && isFar(shift);
  const dragged = useRef(false);
  const end = (leaves: boolean) => {
    from.current = null;
    setShift(null);
    if (leaves) onOut();
  };
  return (
    <span class={`chip-box ${out ? "out" : ""} ${far ? "leaving" : ""}`}>
      <button
        type="button"
        class={`${look} ${chosen ? "chosen" : ""}`}
        data-testid={testid}
        aria-pressed={chosen}
        aria-label={out ? `${label}, left out: bring back` : label}
        style={shift ? { transform: `translate(${shift.x}px, ${shift.y}px)` } : undefined}
        onPointerDown={(event) => {
          if (event.button !== 0 || out) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          from.current = { x: event.clientX, y: event.clientY };
          dragged.current = false;
        }}
        onPointerMove={(event) => {
          if (!from.current) return;
          const moved = { x: event.clientX - from.current.x, y: event.clientY - from.current.y };
          if (dragged.current || Math.hypot(moved.x, moved.y) > 4) {
            dragged.current = true;
            setShift(moved);
          }
        }}
        onPointerUp={(event) => {
          const begun = from.current;
          const moved = begun && { x: event.clientX - begun.x, y: event.clientY - begun.y };
          end(moved !== null && dragged.current && isFar(moved));
        }}
        onPointerCancel={() => end(false)}
        onClick={() => {
          if (dragged.current) dragged.current = false;
          else if (out) onOut();
          else onPick();
        }}
        onKeyDown={(event) => {
          if (event.key !== "Delete" && event.key !== "Backspace") return;
          onOut();
          event.preventDefault();
        }}
      >
        {children}
      </button>
      {chosen && !out && (
        <button
          type="button"
          class="leave-out"
          data-testid={`${testid}-out`}
          aria-label={`Leave out ${label}`}
          title="Refit without it"
          onClick={onOut}
        >
          ×
        </button>
      )}
    </span>
  );
}
