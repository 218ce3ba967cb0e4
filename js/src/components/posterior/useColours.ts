import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { Theme } from "../../lib/theme";
import { type Ramp, rgb } from "./heat";
import type { Palette } from "./PlaneView";

export interface Colours {
  ramp: Ramp;
  palette: Palette;
}

const GREY = [128, 128, 128] as const;
const NONE: Colours = {
  ramp: { below: GREY, middle: GREY, above: GREY },
  palette: { 1: GREY, 2: GREY },
};

/** The theme's colours as numbers, for what is painted pixel by pixel. */
export function useColours(root: RefObject<HTMLElement | null>, theme: Theme): Colours {
  const [colours, setColours] = useState(NONE);
  useLayoutEffect(() => {
    if (!root.current) return;
    const style = getComputedStyle(root.current);
    const of = (name: string) => rgb(style.getPropertyValue(name));
    setColours({
      ramp: { below: of("--below"), middle: of("--middle"), above: of("--above") },
      palette: { 1: of("--cloud-1"), 2: of("--cloud-2") },
    });
  }, [root, theme]);
  return colours;
}
