import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Clouds } from "../../generated/posterior";
import { usePointing } from "../../lib/bench/usePointing";
import { useFont, useWidth } from "../../lib/hooks";
import { memo } from "../../lib/memo";
import { Segmented } from "../../lib/ui/Controls";
import { whenEmpty } from "../../lib/ui/listbox";
import { useUid } from "../../lib/uid";
import { cloudPixels } from "./cloud";
import type { Rgb } from "./heat";
import { Panel } from "./Panel";
import { AxisNames, PlaneFrame, PlaneMarks, PlaneWords } from "./PlaneBody";
import {
  frameOf,
  type PlaneGeometry,
  placedWords,
  planeGeometry,
  wordAt,
  wordToward,
} from "./plane";
import { labelsOf, pickedOf, type Store, toneOf, type View, wordNow } from "./store";
import { paint } from "./TracePlot";
import { cloudText } from "./texts";

const AXES = [
  { value: "pca", label: "PCA" },
  { value: "difference", label: "Mean difference" },
] as const;

export type Tones = Readonly<Record<string, 1 | 2>>;
export type Palette = Readonly<Record<1 | 2, Rgb>>;

interface Props {
  store: Store;
  view: View;
  palette: Palette;
  stale: boolean;
}

export const planeHeight = (width: number) =>
  Math.round(Math.min(360, Math.max(260, 0.76 * width)));

/** Colours of the labels in the plane. */
export function tonesOf(view: View): Tones {
  const [shown, other] = labelsOf(view);
  return { [shown]: toneOf(view, shown), ...(other ? { [other]: toneOf(view, other) } : {}) };
}

/** Draws of both labels in the plane, with words among them. */
export function PlaneView({ store, view, palette, stale }: Props) {
  const { clouds } = view;
  const plane = view.answer.picture?.plane ?? null;
  const picked = pickedOf(view);
  const id = useUid();
  const box = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidth(box, 440);
  useFont(box);
  const height = planeHeight(width);
  const g = useMemo(
    () => planeGeometry(width, height, plane),
    [width, height, plane ? frameOf(plane).join() : ""],
  );
  const tones = useMemo(() => tonesOf(view), [labelsOf(view).join("\u0000")]);
  const words = useMemo(() => placedWords(plane, g), [plane?.words, g]);
  const beyond = words.some((word) => word.beyond !== null);
  const under = (event: MouseEvent) => {
    const area = svg.current!.getBoundingClientRect();
    return wordAt(words, event.clientX - area.left, event.clientY - area.top);
  };
  const { focused, handlers } = usePointing<string>({
    under,
    hover: (word) => store.hover(word),
    hold: (word) => store.pick(word),
  });
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const now = wordNow(store.view);
    if ((event.key === "Enter" || event.key === " ") && store.view.hovered) store.pick(now);
    else {
      const next = wordToward(words, now || null, event.key);
      if (!next) return;
      store.hover(next);
    }
    event.preventDefault();
  };
  const active = words.find((w) => w.word === wordNow(view));
  const matching = plane !== null && clouds.axes === plane.axes;
  const exact = plane?.outlines.some((o) => o.exact) ?? false;
  return (
    <Panel
      title="Draws in the plane"
      look="plane"
      stale={stale}
      head={
        <div class="mini axes">
          <Segmented {...store.input("axes")} label="Axes" options={AXES} />
        </div>
      }
    >
      <div
        ref={box}
        class="plane-box"
        role="listbox"
        {...whenEmpty(words.length)}
        tabIndex={0}
        aria-label={planeLabel(view)}
        aria-activedescendant={focused && active ? `${id}-${words.indexOf(active)}` : undefined}
        data-testid="plane"
        data-axes={plane?.axes}
        data-points={clouds.clouds.map((c) => c.points.shape[0]).join(" ")}
        style={{ height: `${height}px` }}
        onKeyDown={key}
        {...handlers}
      >
        {matching && <CloudCanvas clouds={clouds} g={g} tones={tones} palette={palette} />}
        <svg ref={svg} class="drawing over-all" width={width} height={height} role="presentation">
          <PlaneFrame plane={plane} g={g} tones={tones} />
          <AxisNames plane={plane} g={g} />
          <PlaneWords words={words} g={g} picked={picked} id={id} />
          <PlaneMarks words={words} g={g} picked={picked} hovered={view.hovered} />
        </svg>
      </div>
      <p class="plane-foot wrap-row ink2 t11">
        <span>
          {plane && plane.outlines.length > 0 && (
            <>
              <svg class="dash" viewBox="0 0 24 4" aria-hidden="true">
                <path class={`outline ${exact ? "exact" : ""}`} d="M0 2H24" />
              </svg>{" "}
              {exact ? "exact sampler, 1 and 2 σ" : "1 and 2 σ of the draws"}
            </>
          )}
        </span>
        <span data-testid="cloud-count">{cloudText(clouds.clouds)}</span>
      </p>
      <p class="under plane-warning" data-testid="plane-warning">
        {plane?.warning}
        {beyond && <span data-testid="beyond"> Arrows: words that lie beyond the frame.</span>}
      </p>
    </Panel>
  );
}

function planeLabel(view: View): string {
  const plane = view.answer.picture?.plane;
  if (!plane) return "The plane of the draws, empty yet";
  const words = plane.words.length;
  return `Draws of ${labelsOf(view).filter(Boolean).join(" and ")} in the plane of ${plane.axis_labels.join(" and ")}, with ${words} words; arrow keys go from word to word, Enter picks one`;
}

interface CanvasProps {
  clouds: Clouds;
  g: PlaneGeometry;
  tones: Tones;
  palette: Palette;
}

/** The draws: painted once for each change of them, not when something is pointed at. */
const CloudCanvas = memo(function CloudCanvas({ clouds, g, tones, palette }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const image = cloudImage(clouds, g, tones, palette, Math.min(2, window.devicePixelRatio || 1));
    if (image) paint(canvas.current!, image);
  }, [clouds, g, tones, palette]);
  return (
    <canvas
      ref={canvas}
      class="cloud"
      data-testid="cloud"
      style={{ width: `${g.width}px`, height: `${g.height}px` }}
    />
  );
});

export function cloudImage(
  { clouds }: Clouds,
  g: PlaneGeometry,
  tones: Tones,
  palette: Palette,
  zoom: number,
): ImageData | null {
  if (typeof ImageData === "undefined") return null;
  const [width, height] = [Math.round(g.width * zoom), Math.round(g.height * zoom)];
  const tints = clouds.map((cloud) => ({ cloud, colour: palette[tones[cloud.label] ?? 1] }));
  return new ImageData(cloudPixels(tints, g.x, g.y, width, height, zoom), width, height);
}
