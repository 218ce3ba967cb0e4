/** What every bench exchanges with Python; every bench's generated types fit them. */
import type {
  Command,
  DroppedTerm,
  Line,
  Message,
  Misfit,
  Progress,
  Reply,
  Span,
  SubjectOption,
} from "../../generated/shared";

export type {
  Action,
  DroppedTerm,
  Line,
  Message,
  Misfit,
  Progress,
  Span,
  SubjectOption,
} from "../../generated/shared";

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
  command: Command;
  subjects: SubjectOption[];
  misfits: Misfit[];
  answer: A;
  progress: Progress;
  line: Line;
  reply: Reply;
}
