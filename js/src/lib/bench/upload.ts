/** Files of a person, in pieces: while one is read nobody else is answered. */
import type { AnyStore } from "./store";

export const PIECE = 1_000_000;

export interface Sent {
  name: string;
  content?: string;
  parcel?: string;
}

let parcels = 0;

/** What a message says of a file: its content, or the parcel that went before it. */
export async function sent(store: AnyStore, file: File, name = file.name): Promise<Sent | null> {
  if (file.size <= PIECE) return { name, content: await base64(file) };
  const parcel = `${Date.now()}-${++parcels}`;
  for (let part = 0; part * PIECE < file.size; part++) {
    store.notify(`${name}: ${Math.round((100 * part * PIECE) / file.size)} %`);
    const content = await base64(file.slice(part * PIECE, (part + 1) * PIECE));
    const reply = await store.ask("upload-part", { parcel, part, content });
    if (!reply.ok) {
      store.notify(`${name}: ${reply.message}`, false);
      return null;
    }
  }
  return { name, parcel };
}

async function base64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000)
    text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
