import { useMemo, useRef } from "preact/hooks";
import type { Picture, Side } from "../../generated/association";
import { Mark } from "../../lib/chart/marks";
import { useFont, useWidth } from "../../lib/hooks";
import { Disclosure } from "../../lib/ui/Disclosure";
import {
  ContrastRows,
  contrastDomain,
  contrastsHeight,
  modelShape,
  modelsShown,
} from "./Contrasts";
import { Check, Models } from "./Models";
import { LABELS } from "./marks";
import { type Inputs, posteriorOf, type Store, type View } from "./store";
import { estimateText, MODELS } from "./texts";

const LINES: Record<Inputs["model"], string> = {
  pooled: "paper’s model",
  "per-word": "per word",
  crossed: "crossed model",
};

interface Props {
  store: Store;
  view: View;
  side: Side | null;
  /** "before" or "after", where there are both. */
  when: string;
  main: boolean;
}

/** Differences between connection types, and the models behind them. */
export function ContrastsPanel({ store, view, side, when, main }: Props) {
  const { picture } = view.answer;
  const { model } = view.inputs;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 420);
  useFont(box);
  const domain = useMemo(() => contrastDomain(picture, model), [picture, model]);
  return (
    <section class="panel" aria-label={`Contrasts${when}`} data-testid="contrasts">
      <header class="panel-head wrap-row">
        <h2>Contrasts{when}</h2>
        <ul class="legend wrap-row ink2 t12" aria-label="Models">
          {modelsShown(model).map((name) => (
            <li key={name} class={`m-${name}`}>
              <svg class="drawing" width={24} height={12} aria-hidden="true">
                <path class="interval" d="M1 6H23" />
                <Mark x={12} y={6} shape={modelShape(name)} />
              </svg>
              {LINES[name]}
            </li>
          ))}
        </ul>
      </header>
      <div ref={box}>
        <svg
          class="drawing"
          width={width}
          height={contrastsHeight(side, model)}
          role="img"
          aria-label={spoken(side, model)}
        >
          <ContrastRows side={side} model={model} domain={domain} width={width} />
        </svg>
      </div>
      {main && picture && (
        <div class="behind wrap-row">
          <Coefficients picture={picture} side={side} model={model} />
          <Models store={store} picture={picture} />
          <Check store={store} view={view} />
        </div>
      )}
    </section>
  );
}

/** What a screen reader says of the contrasts. */
function spoken(side: Side | null, model: Inputs["model"]): string {
  const parts = modelsShown(model).flatMap((name) =>
    ((side && posteriorOf(side, name)?.contrasts) || []).map(
      (c) => `${c.label}, ${LINES[name]}: ${estimateText(c)}`,
    ),
  );
  return parts.join("; ") || "No contrasts yet";
}

interface CoefficientProps {
  picture: Picture;
  side: Side | null;
  model: Inputs["model"];
}

/** The absolute coefficients, behind a button and under their warning. */
function Coefficients({ picture, side, model }: CoefficientProps) {
  const posterior = side && posteriorOf(side, model);
  return (
    <Disclosure
      label="Absolute coefficients"
      text="Absolute coefficients"
      testid="coefficients"
      class="above outer-card"
    >
      {() => (
        <div class="stack">
          <p class="problem-line warned" data-testid="coefficient-warning">
            {picture.coefficient_warning}
          </p>
          <table class="numbers">
            <caption class="visually-hidden">Coefficients, {MODELS[model]}</caption>
            <tbody>
              {posterior?.coefficients.map((c) => (
                <tr
                  key={c.key}
                  data-testid="coefficient"
                  data-connection={c.key}
                  data-value={c.value}
                  data-low={c.low}
                  data-high={c.high}
                >
                  <th scope="row">{LABELS[c.key]}</th>
                  <td>{estimateText(c)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {!posterior?.coefficients.length && <p class="quiet">This model has none.</p>}
        </div>
      )}
    </Disclosure>
  );
}
