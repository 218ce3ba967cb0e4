/** What the server answers about subjects. */
export interface Row {
  name: string;
  group: string;
  kind: string;
  about: string;
  origin: string;
  own: boolean;
  /** Who shared it with everybody; empty where nobody did. */
  shared_by: string;
  bytes: number;
  state: "open" | "loading" | "failed" | "closed";
  used: boolean;
  memory: number;
  done: number;
  total: number;
  problem: string;
  /** Whether it can be opened and unloaded here. */
  opens: boolean;
}

export interface Library {
  subjects: Row[];
  /** Whether only this machine reaches the app. */
  local: boolean;
  hub: boolean;
  /** Whether the person may share subjects with everybody on this server. */
  may_share: boolean;
  largest_mb: number;
}

export interface Question {
  name: string;
  title: string;
  address: string;
  fits: boolean;
  reason: string;
}

export interface Card extends Row {
  planted: string;
  facts: [string, string][];
  /** Of its model card, folded. */
  made: [string, string][];
  /** The bench to ask it in first; empty for the first that fits. */
  first: string;
  questions: Question[];
  code: string;
  runs: number;
  last_run: string;
}

/** A subject before it is added. */
export interface Inspected {
  name: string;
  kind: string;
  summary: string;
  fits: string[];
}

export interface Tried {
  case: string;
  reply: string;
  problem: string;
  seconds: number;
}
