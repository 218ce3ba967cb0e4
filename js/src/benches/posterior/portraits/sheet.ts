/** Sheets of portraits: one image, of which each portrait shows its own part. */
import { useEffect, useState } from "preact/hooks";

/**
 * The address of an image as a style takes it: short, so that a hundred portraits share it cheaply.
 *
 * @param data - An address that holds the image; empty while there is none.
 */
export function useSheet(data: string): string {
  const [address, setAddress] = useState("none");
  useEffect(() => {
    if (!data) return;
    const [head, body] = data.split(",") as [string, string];
    const bytes = Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
    const type = head.slice("data:".length, head.indexOf(";"));
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setAddress(`url("${made}")`);
    return () => {
      URL.revokeObjectURL(made);
      setAddress("none");
    };
  }, [data]);
  return address;
}
