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

/** What the outermost element of a bench follows: its view, its theme, its width. */
export function useBench<V extends AnyView>(store: Viewed<V>, onTheme: Mount<object>["onTheme"]) {
  const root = useRef<HTMLElement>(null);
  const figure = useRef<HTMLDivElement>(null);
  const [theme, setTheme] = useState<Theme>("light");
  const view = useView(store);
  const width = useWidth(root, 960);
  useLayoutEffect(() => onTheme(setTheme), [onTheme]);
  usePainted(root, view.answer.generation, view.answer);
  const size = width < SMALL ? "small" : width < NARROW ? "medium" : width < MIDDLE ? "middle" : "";
  return {
    root,
    figure,
    view,
    theme,
    width,
    look: `bench ${width < NARROW ? "narrow" : "wide"} ${size}`,
  };
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
