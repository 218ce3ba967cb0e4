/** `after`, with every part that equals the same part of `before` replaced by it. */
export function keepIdentity<T>(before: unknown, after: T): T {
  if (before === after) return after;
  if (Array.isArray(before) && Array.isArray(after)) {
    const parts = after.map((part, i) => keepIdentity(before[i], part));
    const same = before.length === parts.length && parts.every((part, i) => part === before[i]);
    return (same ? before : parts) as T;
  }
  if (isRecord(before) && isRecord(after)) {
    const names = Object.keys(after);
    const parts = Object.fromEntries(
      names.map((name) => [name, keepIdentity(before[name], after[name])]),
    );
    const same =
      names.length === Object.keys(before).length &&
      names.every((name) => name in before && parts[name] === before[name]);
    return (same ? before : parts) as T;
  }
  return after;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
