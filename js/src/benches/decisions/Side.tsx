import type { ComponentChildren } from "preact";
import type { GaugeState, Picture } from "../../generated/decisions";
import { Lane } from "../../lib/chart/Lane";
import { leaning } from "../../lib/chart/marks";
import { fixed, points } from "../../lib/format";
import { Term } from "../../lib/ui/Term";
import { ratioAt, shareAt } from "./paths";
import { cueOf, isAlone, type View } from "./store";
import { capital, digitsOf, estimateText, levelOf, percents, rangeText } from "./texts";

/** The shares at the handle, and the gauges of all that the gap leaves out. */
export function Side({ view }: { view: View }) {
  const { picture } = view.answer;
  return (
    <aside class="t12" aria-label="Numbers">
      <Shares view={view} picture={picture} />
      <Jnd view={view} picture={picture} />
      {!isAlone(view) && view.inputs.cannot_say && <Indecision view={view} picture={picture} />}
      <Gauges gauges={picture?.gauges ?? []} offered={view.inputs.cannot_say} />
    </aside>
  );
}

interface PartProps {
  view: View;
  picture: Picture | null;
}

function Shares({ view, picture }: PartProps) {
  const { x } = view.inputs;
  const alone = isAlone(view);
  const outcome = view.card.outcome;
  const level = Math.round(100 * (picture?.level ?? view.inputs.level));
  return (
    <>
      <p class="small-head spread t12">
        <span>
          {alone ? capital(outcome) : "Chosen"} at <b class="accent">{levelOf(view, x)}</b>
        </span>
        <span class="quiet">%, {level} %</span>
      </p>
      {(alone ? ([0, 1] as const) : ([1] as const)).map((group) => {
        const curve = picture?.curves[alone ? group : 0];
        const at = curve?.share.length && picture ? shareAt(picture.levels, curve, x) : null;
        const cue = cueOf(view, group);
        const more = (view.card.groups[group]?.cues.length ?? 0) > 1 ? " …" : "";
        return (
          <div key={group} class="share-row" data-testid={`share-${group + 1}`}>
            <span class={`g${group + 1} ellipsis`} title={view.card.groups[group]?.name}>
              {cue}
              {more}
            </span>
            <span class="share-bar">
              <span class={`f${group + 1}`} style={{ width: `${100 * (at?.value ?? 0)}%` }} />
            </span>
            <span class="share-number">
              <b>{at ? points(at.value) : "–"}</b> {at ? percents(at.low, at.high) : ""}
            </span>
          </div>
        );
      })}
      {alone && <Ratio view={view} picture={picture} />}
    </>
  );
}

const FOUR_FIFTHS = 0.8;

function Ratio({ view, picture }: PartProps) {
  const ratio = picture ? ratioAt(picture, view.inputs.x) : null;
  const { value, low, high } = ratio ?? { value: null, low: null, high: null };
  return (
    <Row
      name={<Term name="impact ratio">Impact ratio</Term>}
      value={value !== null ? fixed(value, 2) : low === null ? "–" : "not known at this level"}
      range={value === null ? "" : `${fixed(low!, 2)}–${fixed(high!, 2)}`}
      note={low === null || high === null ? "" : ratioNote(value, low, high)}
      testid="impact-ratio"
    />
  );
}

/** What the interval says about the four-fifths rule, and why there is no number beside it. */
function ratioNote(value: number | null, low: number, high: number): string {
  const said =
    high < FOUR_FIFTHS ? "below 0.80" : low >= FOUR_FIFTHS ? "not below 0.80" : "may be below 0.80";
  if (value !== null) return `${said}, the four-fifths rule`;
  if (low <= FOUR_FIFTHS && high >= 1) return "the interval includes 0.80 and 1";
  return `too wide an interval; ${said}`;
}

function Jnd({ view, picture }: PartProps) {
  const jnd = picture?.jnd ?? { value: null, low: null, high: null };
  const digits = digitsOf(jnd.low, jnd.high);
  return (
    <Row
      name={<Term name="JND" />}
      value={jnd.value === null ? "–" : `${estimateText(jnd, digits)} ${view.card.unit}`}
      range={jnd.value === null ? "" : rangeText(jnd.low, jnd.high, digits).replace(" to ", "–")}
      note="just noticeable difference, 50 to 75 %"
      testid="jnd"
    />
  );
}

function Indecision({ view, picture }: PartProps) {
  const half = picture?.indecision ?? { value: null, low: null, high: null };
  const digits = digitsOf(half.low, half.high);
  return (
    <Row
      name="Indecision"
      value={half.value === null ? "–" : `± ${estimateText(half, digits)} ${view.card.unit}`}
      range={half.value === null ? "" : rangeText(half.low, half.high, digits).replace(" to ", "–")}
      note="differences, less the gap, at which it cannot say"
      testid="indecision"
    />
  );
}

interface RowProps {
  name: ComponentChildren;
  value: string;
  range: string;
  note: string;
  testid: string;
}

const Row = ({ name, value, range, note, testid }: RowProps) => (
  <div class="side-row" data-testid={testid}>
    <span>{name}</span>
    <span class="share-number">
      <b>{value}</b> {range}
    </span>
    <small class="quiet">{note}</small>
  </div>
);

/** Where each gauge ends, in shares, and the value that means nothing; of others it is 0. */
const RANGES: Record<string, { low: number; high: number; neutral: number | null }> = {
  "picks the first option": { low: 0.25, high: 0.75, neutral: 0.5 },
};
const USUAL = { low: 0, high: 0.2, neutral: null };
const ORDER = [
  "picks the first option",
  "yes at any level",
  "no at any level",
  "chosen at any difference",
  "cannot say",
  "refused or unreadable",
];

interface GaugesProps {
  gauges: readonly GaugeState[];
  /** Whether "cannot say" is among the answers. */
  offered: boolean;
}

function Gauges({ gauges, offered }: GaugesProps) {
  // Which gauges keep their place before there is a number: not those of rates that are not fitted.
  const wanted: Record<string, boolean> = {
    "yes at any level": false,
    "no at any level": false,
    "chosen at any difference": false,
    "cannot say": offered,
  };
  // Gauges beside each other have one range: all shares, where one goes beyond the usual.
  const most = Math.max(0, ...gauges.filter(({ name }) => !RANGES[name]).map(({ high }) => high));
  return (
    <div class="gauges">
      <b>Kept out of the gap</b>
      {ORDER.map((name) => {
        const own = gauges.filter((gauge) => gauge.name === name);
        if (own.length === 0 && !(wanted[name] ?? true)) return null;
        return <Gauge key={name} name={name} gauges={own} most={most} />;
      })}
    </div>
  );
}

interface GaugeProps {
  name: string;
  gauges: readonly GaugeState[];
  /** The highest end of all gauges with the usual range. */
  most: number;
}

function Gauge({ name, gauges, most }: GaugeProps) {
  const usual = RANGES[name] ?? USUAL;
  const reach = RANGES[name] ? Math.max(...gauges.map((gauge) => gauge.high), 0) : most;
  const least = Math.min(...gauges.map((gauge) => gauge.low), 1);
  // A share beyond the usual range stretches the gauge to all of it.
  const high = reach > usual.high ? 1 : usual.high;
  const low = usual.neutral !== null && (least < usual.low || reach > usual.high) ? 0 : usual.low;
  const top = usual.neutral !== null && low === 0 ? 1 : high;
  return (
    <div class="gauge" data-testid={`gauge-${name.replaceAll(" ", "-")}`}>
      <p class="small-head spread t12">
        <span>{capital(name)}</span>
        <span class="share-number">
          <GaugeNumbers gauges={gauges} />
        </span>
      </p>
      <Lane
        domain={[low, top]}
        neutral={usual.neutral}
        marks={gauges.map((gauge, i) => ({
          ...gauge,
          ...(gauge.group ? leaning(gauge.group === 1 ? 1 : -1) : {}),
          dy: gauges.length > 1 ? 4 * i - 2 : 0,
        }))}
      />
      <p class="gauge-ends quiet">
        <span>{points(low)}</span>
        {usual.neutral !== null && <b>{points(usual.neutral)}</b>}
        <span>{points(top)}</span>
      </p>
    </div>
  );
}

function GaugeNumbers({ gauges }: { gauges: readonly GaugeState[] }) {
  if (gauges.length === 0) return <>–</>;
  if (gauges.length === 1) {
    const { value, low, high } = gauges[0]!;
    return (
      <>
        <b>{points(value)} %</b> {percents(low, high)}
      </>
    );
  }
  return (
    <>
      {gauges.map((gauge, i) => (
        <span key={gauge.group}>
          {i > 0 && " and "}
          <b class={`g${gauge.group}`}>{points(gauge.value)}</b>
        </span>
      ))}{" "}
      <b>%</b>
    </>
  );
}
