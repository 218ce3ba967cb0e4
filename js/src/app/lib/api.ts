/** Requests to the app's JSON API; an error carries the server's own message. */
export class ApiError extends Error {}

export const getJson = <T>(address: string): Promise<T> => ask<T>(address);

export const postJson = <T>(address: string, body: unknown): Promise<T> =>
  ask<T>(address, { method: "POST", body: JSON.stringify(body) });

async function ask<T>(address: string, options?: RequestInit): Promise<T> {
  const answer = await fetch(address, options);
  const values = await answer.json().catch(() => ({}));
  if (answer.ok) return values;
  throw new ApiError(values.error ?? `The server answered ${answer.status}.`);
}
