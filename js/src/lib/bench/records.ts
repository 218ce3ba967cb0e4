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
import { isRecord } from "../identity";

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

type Parts<T> = { [K in keyof T]?: object };

/**
 * `given`, with what it lacks taken from `empty`, also in the records within it.
 *
 * @param parts - What records are filled from that may be null, or that stand in a list.
 */
export function filled<T extends object>(
  given: Partial<T> | null | undefined,
  empty: T,
  parts: Parts<T> = {},
): T {
  const whole = { ...empty, ...given } as Record<string, unknown>;
  for (const [name, part] of Object.entries<unknown>({ ...empty, ...parts })) {
    const value = whole[name];
    if (!isRecord(part) || !value) continue;
    whole[name] = Array.isArray(value)
      ? value.map((one) => filled(one, part))
      : filled(value, part);
  }
  return whole as T;
}

/** Reads an answer that any version of Python wrote, such as that of an old notebook. */
export const answerReader =
  <P extends BenchPicture, A extends BenchAnswer & { picture: P | null }>(
    empty: A,
    picture: P,
    parts?: Parts<P>,
  ) =>
  (given: Partial<A> | null | undefined): A => {
    const whole = filled(given, empty);
    return { ...whole, picture: whole.picture && filled(whole.picture, picture, parts) };
  };

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
