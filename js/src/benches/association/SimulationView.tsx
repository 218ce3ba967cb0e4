import { useMemo, useRef } from "preact/hooks";
import { LIMITS, type Simulation } from "../../generated/association";
import { Lane } from "../../lib/chart/Lane";
import { useFont, useWidth } from "../../lib/hooks";
import { Segmented, Slider } from "../../lib/ui/Controls";
import { NumberField } from "../../lib/ui/NumberField";
import { HEIGHT, Histogram } from "./Histogram";
import {
  beyondCeiling,
  dots,
  drawnDomain,
  PAPER_LENGTHS,
  PAPER_ROWS,
  paperRow,
  simulationDomain,
  simulationLines,
} from "./simulation";
import type { Inputs, Store, View } from "./store";
import { number, range } from "./texts";

const MEANS = ["X to A", "X to B", "Y to A", "Y to B"];
const DDOFS = [
  { value: "1", label: "SD over n − 1" },
  { value: "0", label: "SD over n" },
] as const;
const NUMERATORS = [
  { value: "means", label: "difference of means" },
  { value: "first", label: "of first words, as in the paper’s program" },
] as const;

/** What WEAT makes of similarities whose truth is known. */
export function SimulationView({ store, view }: { store: Store; view: View }) {
  const { simulation: inputs, ddof } = view.inputs;
  const change = (changes: Partial<Inputs["simulation"]>) =>
    store.set({ simulation: { ...inputs, ...changes } });
  const row = paperRow(inputs);
  return (
    <div class="simulation" data-testid="simulation">
      <section class="panel" aria-label="What is drawn">
        <header class="panel-head wrap-row">
          <h2>Similarities are drawn with these means</h2>
        </header>
        <div class="means">
          {MEANS.map((name, i) => (
            <Slider
              key={name}
              label={name}
              testid={`mean-${i}`}
              value={inputs.means[i] ?? 0}
              min={-0.5}
              max={0.5}
              step={0.01}
              shown={number(inputs.means[i] ?? 0)}
              onInput={(value) =>
                change({ means: inputs.means.map((m, k) => (k === i ? value : m)) })
              }
            />
          ))}
          <Slider
            label="standard deviation"
            testid="sd"
            value={inputs.sd}
            min={0.001}
            max={0.3}
            step={0.001}
            shown={number(inputs.sd, 3)}
            onInput={(sd) => change({ sd })}
          />
          <div class="lengths">
            <NumberField
              label="words in X and in Y"
              testid="words"
              value={inputs.words}
              {...LIMITS.simulation.words}
              onChange={(words) => change({ words })}
            />
            <NumberField
              label="words in A and in B"
              testid="attributes"
              value={inputs.attributes}
              {...LIMITS.simulation.attributes}
              onChange={(attributes) => change({ attributes })}
            />
          </div>
          <div class="mini">
            <Segmented
              label="SD divided by"
              testid="simulation-ddof"
              value={String(ddof)}
              options={DDOFS}
              onChange={(value) => store.set({ ddof: Number(value) })}
            />
          </div>
          <div class="mini">
            <Segmented
              label="difference of"
              testid="numerator"
              value={inputs.first_words ? "first" : "means"}
              options={NUMERATORS}
              onChange={(value) => change({ first_words: value === "first" })}
            />
          </div>
        </div>
        <PaperTable row={row} onChoose={(i) => change({ ...PAPER_LENGTHS, ...rowOf(i) })} />
      </section>
      <Outcome view={view} row={row} />
      <OneDraw
        simulation={view.answer.picture?.simulation ?? null}
        onAgain={() => change({ seed: (inputs.seed + 1) % LIMITS.simulation.seed.max })}
      />
    </div>
  );
}

const rowOf = (i: number) => ({ means: [...PAPER_ROWS[i]!.means], sd: PAPER_ROWS[i]!.sd });

/** The rows of the paper's table, to be drawn again. */
function PaperTable({ row, onChoose }: { row: number; onChoose: (i: number) => void }) {
  return (
    <table class="numbers paper-rows">
      <caption>
        Rows of “A Bayesian method of cosine-based word2vec bias estimation”, 2 + 2 words and lists
        of 5: one draw each
      </caption>
      <thead>
        <tr>
          {[...MEANS, "σ", "WEAT"].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          <th scope="col">
            <span class="visually-hidden">choose</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {PAPER_ROWS.map(({ means, sd, weat }, i) => (
          <tr key={`${means.join()} ${sd}`} class={i === row ? "now" : ""}>
            {means.map((m, k) => (
              <td key={MEANS[k]}>{m}</td>
            ))}
            <td>{sd}</td>
            <td>{number(weat)}</td>
            <td>
              <button
                type="button"
                class="link"
                aria-pressed={i === row}
                data-testid={`paper-row-${i}`}
                onClick={() => onChoose(i)}
              >
                {i === row ? "drawn" : "draw"}
                <span class="visually-hidden">, row {i + 1} of the paper</span>
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Outcome({ view, row }: { view: View; row: number }) {
  const simulation = view.answer.picture?.simulation ?? null;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 460);
  useFont(box);
  const domain = useMemo(() => (simulation ? simulationDomain(simulation) : null), [simulation]);
  const lines = useMemo(
    () => (simulation ? simulationLines(simulation, row) : []),
    [simulation, row],
  );
  return (
    <section class="panel" aria-label="Effect sizes">
      <header class="panel-head wrap-row">
        <h2>What WEAT then reports</h2>
        <span class="quiet">each draw a new set of words</span>
      </header>
      <div ref={box} class="outcome-box">
        {simulation && domain ? (
          <svg
            class="drawing"
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={`Effect sizes: mean ${number(simulation.mean)}, ${range(simulation.low, simulation.high)}, ceiling ${number(simulation.ceiling)}`}
            data-testid="simulated"
            data-mean={simulation.mean}
            data-low={simulation.low}
            data-high={simulation.high}
            data-ceiling={simulation.ceiling}
          >
            <Histogram
              edges={simulation.edges}
              counts={simulation.counts}
              domain={domain}
              width={width}
              neutral="no association 0"
              axis="effect size"
              lines={lines}
              reached={NEVER}
            />
          </svg>
        ) : (
          <p class="why-not" style={{ minHeight: `${HEIGHT}px` }}>
            {view.waiting ? "Drawing…" : "Nothing is drawn yet."}
          </p>
        )}
      </div>
      {simulation && (
        <p class="effect">
          Mean <b>{number(simulation.mean)}</b>, 95 % of draws{" "}
          {range(simulation.low, simulation.high)}, ceiling {number(simulation.ceiling)}.{" "}
          <span data-testid="beyond-ceiling">{beyondCeiling(simulation, row)}</span>
        </p>
      )}
    </section>
  );
}

/** The similarities behind one effect size, as the paper’s Figs. 3 and 4 show those of two words. */
function OneDraw({ simulation, onAgain }: { simulation: Simulation | null; onAgain: () => void }) {
  if (!simulation) return null;
  const domain = drawnDomain(simulation);
  return (
    <section class="panel one-draw" aria-label="One draw" data-testid="one-draw">
      <header class="panel-head wrap-row">
        <h2>One draw, word by word</h2>
        <button type="button" class="button in-line" data-testid="draw-again" onClick={onAgain}>
          Draw again
        </button>
      </header>
      <table class="numbers">
        <caption>
          Similarity of two words of X and two of Y to each word of <b class="side-1">A</b>{" "}
          (circles) and <b class="side-2">B</b> (squares), from {number(domain[0])} to{" "}
          {number(domain[1])}
        </caption>
        <thead>
          <tr>
            <th scope="col">word</th>
            <th scope="col">similarities, line at 0</th>
            <th scope="col">mean to A − to B</th>
          </tr>
        </thead>
        <tbody>
          {simulation.words.map(({ name, to_a, to_b, association }) => (
            <tr key={name} data-testid="drawn-word" data-association={association}>
              <th scope="row">{name}</th>
              <td class="lane-cell">
                <Lane
                  domain={domain}
                  neutral={0}
                  marks={[...dots(to_a, true), ...dots(to_b, false)]}
                />
              </td>
              <td>{number(association, 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="under">This draw: {simulation.drawn}.</p>
    </section>
  );
}

/** What the simulation shows, in the place of the verdict. */
export function SimulationSentence({ view }: { view: View }) {
  const [first, ...others] = (view.answer.picture?.simulation?.text ?? "").split("\n");
  return (
    <section class="verdict" aria-label="Verdict" data-testid="simulation-text">
      <p class="sentence">{first}</p>
      <p class="caveat">{others.join(" ")}</p>
    </section>
  );
}

const NEVER = () => false;
