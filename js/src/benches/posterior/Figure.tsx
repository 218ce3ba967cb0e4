import type { Clouds } from "../../generated/posterior";
import { sizes, unpack } from "../../lib/packed";
import { fit, textWidth } from "../../lib/textwidth";
import { cloudPath } from "./cloud";
import { Autocorrelation, cellsOf, HEADS, RhatPath } from "./Diagnostics";
import { At } from "./Panel";
import { AxisNames, PlaneFrame, PlaneMarks, PlaneWords } from "./PlaneBody";
import { cloudImage, tonesOf } from "./PlaneView";
import { PolarityBody, polarityHeight } from "./Polarity";
import { type PlaneGeometry, placedWords, planeGeometry, wordLabels } from "./plane";
import { pickedOf, runOf, type View } from "./store";
import { heatImages, heatPlace, Lines, type PlotGeometry, paint, plotHeight } from "./TracePlot";
import { roomOf, type Traced, tracedOf, warmupOf } from "./Traces";
import { cloudText, subscript } from "./texts";
import type { Colours } from "./useColours";
import { GroupsBody, WordRowsBody } from "./WordRowsBody";
import { distanceScale, groupsHeight, HEAD, wordColumns, wordRows } from "./wordRows";

const WIDTH = 920;
const GAP = 36;
const HALF = (WIDTH - GAP) / 2;
const PLANE = 340;
/** Of more draws than this the cloud is an image in the drawing. */
const MOST_MARKS = 4000;

interface Props {
  view: View;
  colours: Colours;
}

/** The whole picture for taking along: chains, plane, words, groups and correlations. */
export function Figure({ view, colours }: Props) {
  const { picture } = view.answer;
  if (!picture) return null;
  const traced = tracedOf(view);
  const row = plotHeight(view.traced, runOf(view).chains) + 10;
  const chains = 26 + traced.length * row;
  const rows = wordRows(picture.words, 1, false);
  const columns = wordColumns(HALF, rows);
  const x = distanceScale(picture.words, picture.groups, columns);
  const words = 24 + HEAD + rows.height;
  const groups = groupsHeight(picture.groups?.rows.length ?? 0);
  const left = unnamed(view);
  const middle = Math.max(24 + PLANE + (left ? 38 : 24), words + groups + 8);
  const lower =
    picture.correlations.length > 0 ? 24 + polarityHeight(picture.correlations.length) : 0;
  const tones = tonesOf(view);
  return (
    <svg class="drawing" width={WIDTH} height={chains + 20 + middle + lower}>
      <Chains view={view} colours={colours} traced={traced} row={row} />
      <At y={chains + 20}>
        <Title text="Draws in the plane" />
        <At y={24}>
          <Plane view={view} colours={colours} />
        </At>
        <text class="t11 ink3" y={24 + PLANE + 16}>
          {cloudText(view.clouds.clouds)}
        </text>
        {left && (
          <text class="t11 ink3" y={24 + PLANE + 30}>
            {fit(`no room for ${left}`, 11, HALF)}
          </text>
        )}
        <At x={HALF + GAP}>
          <Title text={`Distance of words to “${picture.label}”`} />
          <At y={24}>
            <WordRowsBody {...{ rows, columns, x }} words={picture.words} picked={pickedOf(view)} />
          </At>
          <At y={words + 8}>
            <GroupsBody groups={picture.groups} words={picture.words} columns={columns} x={x} />
          </At>
        </At>
      </At>
      {lower > 0 && (
        <At y={chains + 20 + middle}>
          <Title text="Distance against polarity" />
          <At y={24}>
            <PolarityBody found={picture.correlations} width={HALF} tones={tones} />
          </At>
        </At>
      )}
    </svg>
  );
}

const Title = ({ text }: { text: string }) => (
  <text class="t13 bold" y={13}>
    {text}
  </text>
);

interface ChainsProps extends Props {
  traced: readonly Traced[];
  row: number;
}

/** Widths of the drawings of autocorrelation and R-hat, and of the room before a column. */
const [LAGS, RHAT, BETWEEN] = [118, 52, 16];
/** Of what a trace is of; a longer one is cut. */
const MOST_NAME = 240;

/** Where columns stand, each as wide as its widest text. */
export function columnsOf(traced: readonly Traced[]) {
  const names = traced.map(({ quantity }) => textWidth(subscript(quantity.label), 12, true));
  const left = Math.min(MOST_NAME, Math.max(0, ...names)) + BETWEEN;
  const rows = traced.map(({ quantity }) => cellsOf(quantity));
  let at = WIDTH;
  const right = HEADS.map((head, k) => {
    const cells = rows.map((cells) => textWidth(cells[k]!, 12, true));
    return Math.max(textWidth(head, 11), ...cells) + BETWEEN;
  })
    .reverse()
    .map((width) => {
      at -= width;
      return at + width;
    })
    .reverse();
  const rhat = at - RHAT;
  const lags = rhat - BETWEEN - LAGS;
  return { left, plot: lags - BETWEEN - left, lags, rhat, right };
}

function Chains({ view, colours, traced, row }: ChainsProps) {
  const warmup = warmupOf(traced);
  const columns = columnsOf(traced);
  return (
    <g>
      <Title text="Chains" />
      <text class="t11 ink3" x={columns.left} y={13}>
        {view.traced === "lines"
          ? "warm-up shaded, then draws kept"
          : "a row for each chain; right, its mean"}
      </text>
      <text class="t11 ink3" x={columns.lags} y={13}>
        autocorrelation
      </text>
      {HEADS.map((head, i) => (
        <text key={head} class="t11 ink3" x={columns.right[i]} y={13} text-anchor="end">
          {head}
        </text>
      ))}
      {traced.map(({ quantity: q, trace }, i) => {
        const top = 26 + i * row;
        const y = row / 2 - 1;
        const { room, share } = roomOf(view, trace, warmup);
        const g = { width: columns.plot, height: row - 10, room, warmup };
        return (
          <At key={q.name} y={top}>
            <text class="t12 bold" y={y}>
              {fit(subscript(q.label), 12, MOST_NAME, true)}
            </text>
            <At x={columns.left}>
              {view.traced === "lines" ? (
                <Lines trace={trace} g={g} />
              ) : (
                <HeatImages traced={{ quantity: q, trace }} g={g} share={share} colours={colours} />
              )}
            </At>
            <At x={columns.lags} y={y - 26}>
              <Autocorrelation quantity={q} width={LAGS} />
            </At>
            <At x={columns.rhat} y={y - 26}>
              <RhatPath quantity={q} width={RHAT} />
            </At>
            {cellsOf(q).map((text, k) => (
              <text
                key={HEADS[k]}
                class={k === 0 ? "t12 bold" : "t12 ink2"}
                x={columns.right[k]}
                y={y}
                text-anchor="end"
              >
                {text}
              </text>
            ))}
          </At>
        );
      })}
    </g>
  );
}

interface HeatProps {
  traced: Traced;
  g: PlotGeometry;
  share: number;
  colours: Colours;
}

function HeatImages({ traced, g, share, colours }: HeatProps) {
  const images = heatImages(unpack(traced.trace.strips), colours.ramp);
  if (!images) return null;
  const { blocks, means } = heatPlace(g, share);
  const image = (data: ImageData, x: number, width: number) => (
    <image
      href={dataUrl(data)}
      x={x}
      width={width}
      height={g.height}
      preserveAspectRatio="none"
      image-rendering="pixelated"
    />
  );
  return (
    <g>
      {image(images.blocks, 0, blocks)}
      {image(images.means, means, g.width - means)}
    </g>
  );
}

function dataUrl(image: ImageData): string {
  const canvas = document.createElement("canvas");
  paint(canvas, image);
  return canvas.toDataURL("image/png");
}

function Plane({ view, colours }: Props) {
  const plane = view.answer.picture?.plane ?? null;
  const g = planeGeometry(HALF, PLANE, plane);
  const tones = tonesOf(view);
  const words = placedWords(plane, g);
  return (
    <g>
      <CloudMarks clouds={view.clouds} g={g} colours={colours} view={view} />
      <PlaneFrame plane={plane} g={g} tones={tones} />
      <AxisNames plane={plane} g={g} />
      <PlaneWords words={words} g={g} picked={pickedOf(view)} onlyNamed />
      <PlaneMarks words={words} hovered={null} picked={pickedOf(view)} g={g} />
    </g>
  );
}

/** The words whose names find no room in the plane, as one text. */
function unnamed(view: View): string {
  const plane = view.answer.picture?.plane ?? null;
  const g = planeGeometry(HALF, PLANE, plane);
  const words = placedWords(plane, g);
  const named = new Set(wordLabels(words, g, pickedOf(view)).map(({ index }) => index));
  const left = words.filter((_, i) => !named.has(i));
  return left.map(({ word }) => word).join(", ");
}

interface CloudProps extends Props {
  clouds: Clouds;
  g: PlaneGeometry;
}

/** Few draws as marks that can be edited, many as an image of what is on the screen. */
function CloudMarks({ clouds, g, colours, view }: CloudProps) {
  const tones = tonesOf(view);
  const n = clouds.clouds.reduce((sum, c) => sum + sizes(unpack(c.points))[0], 0);
  if (n <= MOST_MARKS) {
    return (
      <g>
        {clouds.clouds.map((cloud) => (
          <path
            key={cloud.label}
            class={`draws tone-${tones[cloud.label] ?? 1}`}
            d={cloudPath(cloud, g.x, g.y)}
          />
        ))}
      </g>
    );
  }
  const image = cloudImage(clouds, g, tones, colours.palette, 2);
  return image && <image href={dataUrl(image)} width={g.width} height={g.height} />;
}
