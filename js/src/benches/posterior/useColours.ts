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
    let frame = 0;
    const look = () => {
      if (!root.current) return;
      const style = getComputedStyle(root.current);
      if (style.getPropertyValue("--cloud-1") === "") {
        // A host may attach the element after rendering: it has no styles before.
        frame = requestAnimationFrame(look);
        return;
      }
      const of = (name: string) => rgb(style.getPropertyValue(name));
      setColours({
        ramp: { below: of("--below"), middle: of("--middle"), above: of("--above") },
        palette: { 1: of("--cloud-1"), 2: of("--cloud-2") },
      });
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [root, theme]);
  return colours;
}
