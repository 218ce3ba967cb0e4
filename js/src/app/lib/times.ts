/** When something was, as all pages say it: "28 Nov 2026", or "28 Nov 2026, 14:05". */
export const day = (time: string) =>
  new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });

export const clock = (time: string) =>
  new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

/** Says times of the server's time zone in the person's own. */
export function localTimes(selector: string): void {
  for (const node of document.querySelectorAll<HTMLTimeElement>(selector))
    if (node.dateTime) node.textContent = `${day(node.dateTime)}, ${clock(node.dateTime)}`;
}
