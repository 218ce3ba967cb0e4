import type { RefObject } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { useFont, useWidth } from "../../lib/hooks";
import { linear } from "../../lib/scale";
import { Axis, Frame } from "./Axis";
import { AtHandle, Curves, Guide } from "./Curves";
import { GapLane } from "./GapLane";
import { Legend } from "./Legend";
import { Level } from "./Level";
import { placeWords } from "./labels";
import { geometry } from "./layout";
import { Strips } from "./Strips";
import { isAlone, type Store, type View } from "./store";

interface Props {
  store: Store;
  view: View;
  svg: RefObject<SVGSVGElement | null>;
}

/** Trials over and under the curves, the gap below them, and the handle on the axis. */
export function Figure({ store, view, svg }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 660);
  const font = useFont(svg);
  const g = useMemo(() => geometry(width), [width, font]);
  const { low, high } = view.card;
  const x = useMemo(() => linear([low, high], [g.axisLeft, g.axisRight]), [low, high, g]);
  const y = useMemo(() => linear([0, 1], [g.bottom, g.top]), [g]);
  const words = placeWords(g, x, view);
  const { picture, state } = view.answer;
  const stale = picture !== null && (state === "error" || state === "loading");
  return (
    <div class={`figure ${stale ? "stale" : ""}`} ref={box}>
      <svg
        ref={svg}
        class="drawing"
        width={g.width}
        height={g.height}
        role="group"
        aria-label={`${view.card.outcome}, %, against ${view.card.quality}`}
      >
        <Frame g={g} view={view} />
        <Guide g={g} x={x} view={view} words={words} />
        <Curves g={g} x={x} y={y} view={view} words={words} />
        <Axis g={g} x={x} card={view.card} alone={isAlone(view)} />
        <AtHandle g={g} x={x} y={y} view={view} words={words} />
        <Level g={g} x={x} store={store} view={view} svg={svg} />
        <GapLane g={g} x={x} gap={words.gap} store={store} view={view} svg={svg} />
        <Strips g={g} x={x} store={store} view={view} />
      </svg>
      <Legend view={view} />
    </div>
  );
}
