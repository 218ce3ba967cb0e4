import { useState } from "preact/hooks";

/** What was typed into cards that may be closed by a click beside them. */
export type Kept = Map<string, unknown>;

/** A state that outlives its card, until it is deleted from `kept`. */
export function useKept<T>(kept: Kept, key: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState((kept.get(key) as T | undefined) ?? initial);
  const set = (next: T) => {
    kept.set(key, next);
    setValue(next);
  };
  return [value, set];
}
