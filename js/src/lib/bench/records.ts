/** Records that all benches exchange with Python; every bench's generated types fit them. */
import type { CommandRecord, ReplyRecord } from "../commands";

export interface Span {
  text: string;
  role: "plain" | "strong" | "group1" | "group2" | "quiet" | "with" | "against";
}

export interface Action {
  label: string;
  set?: Record<string, unknown>;
  command?: string;
  args?: Record<string, unknown>;
}

export interface Message {
  title: string;
  text: string;
  actions: Action[];
}

export interface Progress {
  done: number;
  total: number;
  message: string;
  seconds_left: number | null;
}

export interface DroppedTerm {
  term: string;
  role: string;
  reason: string;
  suggestions: string[];
}

export interface SubjectOption {
  name: string;
  about: string;
  kind: string;
  replicates: number;
}

/** What the picture of every bench tells besides its drawing. */
export interface BenchPicture {
  verdict: Span[];
  caveat: string;
  footer: string[];
}

export interface BenchAnswer {
  generation: number;
  state: "empty" | "loading" | "ready" | "cannot-say" | "error";
  message: Message | null;
  unknown: DroppedTerm | null;
  dropped: DroppedTerm[];
  picture: BenchPicture | null;
}

/** What a bench says before Python has said anything. */
export const NO_ANSWER = {
  generation: 0,
  state: "empty",
  message: null,
  picture: null,
  unknown: null,
  dropped: [],
} satisfies BenchAnswer;

/** Fields that every bench has besides its inputs. */
export interface Exchange<A extends BenchAnswer> {
  generation: number;
  command: CommandRecord;
  subjects: SubjectOption[];
  answer: A;
  progress: Progress;
  reply: ReplyRecord;
}
