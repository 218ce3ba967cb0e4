/** Sends a file in pieces, so that neither side holds the whole of it in memory. */
import { ApiError } from "../lib/api";

const PIECE = 4 * 1024 * 1024;

/** Returns the number of the upload; an error carries the server's own message. */
export async function upload(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const number = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const about = new URLSearchParams({ upload: number, name: file.name });
  for (let offset = 0; offset === 0 || offset < file.size; offset += PIECE) {
    about.set("offset", String(offset));
    const body = file.slice(offset, offset + PIECE);
    const answer = await fetch(`api/subjects/upload?${about}`, { method: "POST", body, signal });
    if (!answer.ok) {
      const values = await answer.json().catch(() => ({}));
      throw new ApiError(values.error ?? "The file did not arrive. Choose it again.");
    }
    onProgress(Math.min(1, (offset + PIECE) / Math.max(file.size, 1)));
  }
  return number;
}
