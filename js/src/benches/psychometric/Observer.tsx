import { useCallback, useRef, useState } from "preact/hooks";
import { fixed } from "../../lib/format";
import { Segmented, Slider } from "../../lib/ui/Controls";
import { Chevron } from "../../lib/ui/Icons";
import { Popover } from "../../lib/ui/Popover";
import type { Store, View } from "./store";

const DECISIONS = [
  { value: "maximise", label: "Maximise" },
  { value: "sample", label: "Sample" },
] as const;

/**
 * Perceptual noise, and below it how the noisy observer decides (Liang and Acuna 2020, eqs. 2-4).
 *
 * The rule and the prior matter only with noise, so they wait behind one line of reserved height.
 */
export function Observer({ store, view }: { store: Store; view: View }) {
  const { noise, decision, prior_sd } = view.inputs;
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => setOpen(false), []);
  return (
    <div class="observer control">
      <Slider
        label="Perceptual noise"
        testid="noise"
        value={noise}
        min={0}
        max={0.5}
        step={0.01}
        shown={fixed(noise, 2)}
        spoken={noise === 0 ? "none" : `standard deviation ${fixed(noise, 2)}`}
        onInput={(value) => store.set({ noise: value })}
      />
      <button
        ref={opener}
        type="button"
        class="disclose in-line quiet t11"
        aria-expanded={open}
        data-testid="observer"
        onClick={() => setOpen(!open)}
      >
        {noise > 0 ? `${rule(decision)}, ${prior(prior_sd)}` : "exact: answers in one step"}
        <Chevron />
      </button>
      {open && (
        <Popover label="Decision rule and prior" opener={opener} onClose={close}>
          <div class="stack">
            <Segmented {...store.input("decision")} label="Decision rule" options={DECISIONS} />
            <Slider
              label="Prior around 50/50, SD"
              testid="prior"
              value={prior_sd}
              min={0}
              max={1}
              step={0.01}
              shown={prior_sd === 0 ? "flat" : fixed(prior_sd, 2)}
              onInput={(value) => store.set({ prior_sd: value })}
            />
            <p class="quiet">
              {noise > 0
                ? "Each replicate perceives the blend with this noise, combines it with the prior, and answers."
                : "Without noise neither changes an answer."}
            </p>
          </div>
        </Popover>
      )}
    </div>
  );
}

const rule = (decision: string) => (decision === "sample" ? "samples" : "maximises");
const prior = (sd: number) => (sd === 0 ? "flat prior" : `prior SD ${fixed(sd, 2)}`);
