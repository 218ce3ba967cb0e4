/** Files with pairs, both ways. */
import { downloadReply } from "../../../lib/export";
import type { Store } from "../store";

/** More than this a browser and a notebook do not like to carry as text. */
const LARGEST = 10_000_000;
const TEXT = /\.(csv|tsv|json|jsonl|txt)$/i;

export async function importFile(store: Store, file: File): Promise<void> {
  if (file.size > LARGEST)
    return store.notify(`${file.name} is larger than 10 MB. Cut it into parts.`, false);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const content = TEXT.test(file.name) ? decoded(bytes) : null;
  await store.command(
    "import",
    content === null ? { name: file.name, data: base64(bytes) } : { name: file.name, content },
  );
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000)
    text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

export async function exportFile(store: Store, format: string): Promise<void> {
  downloadReply(await store.command("export", { format }), `pairs.${format}`);
}
