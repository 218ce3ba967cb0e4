import { h, render, type VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Mount } from "../../host";
import { FONT } from "../export";
import { useWidth } from "../hooks";
import { measureAs } from "../textwidth";
import type { Theme } from "../theme";
import type { Drawn } from "./Footer";
import { usePainted, useView } from "./hooks";
import type { AnyView } from "./store";

/** Below this width parts stand below each other. */
export const NARROW = 780;
const SMALL = 520;
/** Below this width the verdict takes more lines. */
const MIDDLE = 960;

interface Viewed<V> {
  view: V;
  subscribe(listener: () => void): () => void;
}

/** Widths below which a bench looks otherwise, and its width before it is measured. */
interface Widths {
  first?: number;
  narrow?: number;
  medium?: number;
  middle?: number;
}

/** What the outermost element of a bench is given: its view, its theme, its width. */
export function useBench<V extends AnyView>(
  store: Viewed<V>,
  onTheme: Mount<object>["onTheme"],
  { first = 960, narrow = NARROW, medium = narrow, middle = MIDDLE }: Widths = {},
) {
  const root = useRef<HTMLElement>(null);
  const figure = useRef<HTMLDivElement>(null);
  const [theme, setTheme] = useState<Theme>("light");
  const view = useView(store);
  const width = useWidth(root, first);
  useLayoutEffect(() => onTheme(setTheme), [onTheme]);
  usePainted(root, view.answer.generation, view.answer);
  const size = width < SMALL ? "small" : width < medium ? "medium" : width < middle ? "middle" : "";
  const frame = {
    ref: root,
    class: `bench ${width < narrow ? "narrow" : "wide"} ${size}`,
    "data-testid": "bench",
    "data-theme": theme,
    "data-state": view.answer.state,
    "data-waiting": view.waiting ? "" : undefined,
  };
  return { root, figure, view, theme, frame };
}

/** Attributes that say which run is on the screen, and whether it goes on; the page hears of it. */
export function useRunAttributes({ number, running }: { number: number; running: boolean }) {
  useLayoutEffect(() => {
    document.dispatchEvent(new CustomEvent("biaslab:run", { detail: number }));
  }, [number]);
  return { "data-run": number, "data-running": running ? "" : undefined };
}

/** Draws a whole picture out of sight, in the font of its copy, for as long as it is copied. */
export function drawn<P extends object>(
  place: HTMLElement | null,
  figure: (props: P) => VNode | null,
  props: P,
): Drawn | null {
  if (!place) return null;
  place.style.fontFamily = FONT;
  measureAs(place);
  render(h(figure, props), place);
  const svg = place.querySelector("svg");
  const done = () => {
    render(null, place);
    measureAs(place.parentElement!);
  };
  return svg ? { svg, done } : null;
}
