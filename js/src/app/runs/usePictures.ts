/** Small pictures of the rows on the screen, asked for once each and in batches. */
import { useEffect, useRef, useState } from "preact/hooks";
import { picturesOf } from "../lib/runs";

export function usePictures(ids: readonly string[]): ReadonlyMap<string, string> {
  const [pictures, setPictures] = useState<ReadonlyMap<string, string>>(new Map());
  const requested = useRef(new Set<string>());
  useEffect(() => {
    const missing = ids.filter((id) => !requested.current.has(id));
    if (missing.length === 0) return;
    for (const id of missing) requested.current.add(id);
    picturesOf(missing)
      .then((found) => setPictures((old) => new Map([...old, ...Object.entries(found)])))
      .catch(() => {
        // Deleted elsewhere meanwhile: a list without a picture is whole all the same.
        for (const id of missing) requested.current.delete(id);
      });
  }, [ids.join()]);
  return pictures;
}
