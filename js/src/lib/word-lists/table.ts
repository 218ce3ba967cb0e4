/** Pasted tables and CSV files: which of their columns are words is for Python's reader to say. */
import type { OnCommand } from "./types";

/** Words of a table, and from which column they are; or why it cannot be read. */
export type TableWords = { terms: string[]; said: string } | { problem: string };

/** Whether a text has several lines of several cells. */
export const looksLikeTable = (text: string): boolean =>
  text.split(/[\r\n]+/, 50).filter((line) => /[\t,;]/.test(line)).length > 1;

/** The words of a table; null where a text is none, but words with separators between them. */
export async function wordsOfTable(text: string, onCommand: OnCommand): Promise<TableWords | null> {
  if (!looksLikeTable(text)) return null;
  const reply = await onCommand("read-words", { text });
  if (!reply.ok || !reply.content) return { problem: reply.message };
  const { terms } = JSON.parse(reply.content) as { terms: string[] };
  return terms.length > 0 ? { terms, said: reply.message } : null;
}
