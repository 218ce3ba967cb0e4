/** Ids that stay apart between instances on one page. */
import { useState } from "preact/hooks";

let made = 0;

export const uid = () => `biaslab-${++made}`;

export function useUid(): string {
  return useState(uid)[0];
}
