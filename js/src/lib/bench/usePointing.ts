import { useState } from "preact/hooks";

interface Pointing<T> {
  /** What lies under the pointer. */
  under(event: MouseEvent): T | null;
  hover(thing: T | null): void;
  hold(thing: T, event: MouseEvent): void;
  /** The keys have come. */
  enter?(): void;
}

/** A picture that is one Tab stop, whose parts the pointer hovers and a click holds. */
export function usePointing<T>({ under, hover, hold, enter }: Pointing<T>) {
  const [focused, setFocused] = useState(false);
  const handlers = {
    onFocus: () => {
      setFocused(true);
      enter?.();
    },
    onBlur: () => {
      setFocused(false);
      hover(null);
    },
    onPointerMove: (event: PointerEvent) => hover(under(event)),
    onPointerLeave: () => hover(null),
    onClick: (event: MouseEvent) => {
      const thing = under(event);
      if (thing !== null) hold(thing, event);
    },
  };
  return { focused, handlers };
}
