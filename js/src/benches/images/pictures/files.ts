/** Files with pictures, both ways. */

import type { Reply } from "../../../generated/shared";
import { PIECE, type Sent, sent } from "../../../lib/bench/upload";
import { download } from "../../../lib/export";
import type { Store } from "../store";

/** Larger than any picture is; a whole set of pictures may have more. */
const LARGEST = { picture: 64_000_000, set: 200_000_000 };

/** Sends files in messages of a few each; what `name` gives null for is left out. */
export async function sendAll(
  store: Store,
  files: readonly File[],
  command: string,
  args: Record<string, unknown>,
  name: (file: File) => string | null = (file) => file.name,
): Promise<void> {
  const large = files.filter((file) => file.size > LARGEST.picture);
  const fitting = files.filter((file) => file.size <= LARGEST.picture && name(file) !== null);
  for (let i = 0; i < fitting.length; ) {
    let size = 0;
    const batch: Sent[] = [];
    do {
      const file = fitting[i++]!;
      size += file.size;
      const one = await sent(store, file, name(file)!);
      if (one) batch.push(one);
    } while (i < fitting.length && size + fitting[i]!.size <= PIECE);
    if (batch.length === 0) return;
    const more = i < fitting.length ? { more: true } : {};
    const reply = await store.command(command, { ...args, files: batch, ...more });
    if (!reply.ok && i < fitting.length) return;
  }
  if (large.length > 0)
    store.notify(`${large[0]!.name} is larger than 64 MB: no picture needs to be.`, false);
}

export const upload = (store: Store, term: string, files: readonly File[]) =>
  sendAll(store, files, "upload", { term });

/** A zip file with a set of pictures. */
export async function importSet(store: Store, file: File): Promise<void> {
  if (file.size > LARGEST.set)
    return store.notify(`${file.name} is larger than 200 MB. Cut it into parts.`, false);
  const one = await sent(store, file);
  if (one) await begin(store, "import-dataset", { ...one });
}

/** A command that begins something; what came of it is told once that is through. */
export async function begin(
  store: Store,
  command: string,
  args: Record<string, unknown> = {},
): Promise<Reply> {
  const before = store.view.making.message;
  const reply = await store.command(command, args);
  if (reply.ok) void tellWhenMade(store, before);
  return reply;
}

async function tellWhenMade(store: Store, before: string): Promise<void> {
  await begun(store, before);
  store.notify(store.view.making.message);
}

/** Waits until what was begun just now is through. */
async function begun(store: Store, before: string): Promise<void> {
  await store.until(({ making }) => making.total > 0 || making.message !== before, 3000);
  await store.until((view) => view.making.total === 0);
}

/** The set as a zip file; where it must be packed first, as soon as that is done. */
export async function exportSet(store: Store): Promise<void> {
  const before = store.view.making.message;
  let reply = await store.command("dataset");
  if (reply.ok && !reply.content) {
    await begun(store, before);
    reply = await store.command("dataset");
  }
  if (!reply.ok || !reply.content) return;
  const bytes = Uint8Array.from(atob(reply.content), (c) => c.charCodeAt(0));
  download(reply.filename ?? "pictures.zip", new Blob([bytes], { type: reply.media_type }));
}
