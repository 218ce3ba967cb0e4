/** Benches that make their material first, and then test several models on it. */
import { NO_TEST_PROGRESS, type StepState, type TestProgress } from "../../generated/shared";
import { about, fixed, whole } from "../format";
import type { BenchAnswer, BenchPicture } from "./records";
import type { AnyStore, AnyView } from "./store";

export interface TestedInputs {
  step: number;
  models: string[];
}

export interface TestedAnswer extends BenchAnswer {
  steps: StepState[];
  picture: (BenchPicture & { run: TestProgress }) | null;
}

/** What the hand has asked for and Python has not begun yet. */
export interface Asking {
  asked: "test" | "stop" | null;
}

export type TestedView = AnyView & Asking & { inputs: TestedInputs; answer: TestedAnswer };

/** What the parts do with the store of such a bench. */
export interface TestedActions extends AnyStore {
  set(changes: Partial<TestedInputs>): void;
  go(step: number): void;
  toggle(): Promise<void>;
  addModel(name: string): Promise<void>;
  startAgain(): Promise<void>;
}

/** A square of the results: one thing that was tested, at a model. */
export interface Spot {
  id: string;
  model: string;
}

/** What the hand does in every such bench. */
export interface Hand extends Asking {
  search: string;
  hovered: Spot | null;
  /** A click or Space holds it. */
  held: Spot | null;
  /** Ids of the material in the order of the scores. */
  order: readonly string[];
  /** What was put away last by hand. */
  undoable: readonly string[];
}

export const sameSpot = (a: Spot | null, b: Spot | null) =>
  a === b || (a !== null && b !== null && a.id === b.id && a.model === b.model);

/** What is in sight: the hovered one, else the held one. */
export const spotNow = (view: Pick<Hand, "hovered" | "held">): Spot | null =>
  view.hovered ?? view.held;

interface Said {
  /** Models whose test is done. */
  done: number;
  /** What they share: "same sentences". */
  same: string;
}

/** How far the test is; before the first one that of none. */
export const runOf = ({ answer }: { answer: TestedAnswer }): TestProgress =>
  answer.picture?.run ?? NO_TEST_PROGRESS;

/** How far the test is, or how it ended. */
export function runText(run: TestProgress, { done, same }: Said): string {
  const left = run.untested;
  const scored = `${whole(run.done)} of ${whole(run.total)} scored`;
  if (run.running)
    return run.seconds_left === null ? scored : `${scored}, ${about(run.seconds_left)} left`;
  if (run.number === 0) return "";
  const parts: string[] = [];
  const time = run.seconds < 10 ? fixed(run.seconds, 1) : fixed(run.seconds, 0);
  if (done > 0) parts.push(`${whole(done)} model${done === 1 ? "" : "s"}, ${same}, ${time} s`);
  if (left > 0 && !run.stale && left < run.total)
    parts.push(`Stopped: ${whole(run.total - left)} of ${whole(run.total)} are kept`);
  else if (left > 0) parts.push(`${whole(left)} not scored yet`);
  if (run.stale) parts.push("settings have changed since");
  return parts.join("; ");
}

/** What pressing Test does. */
export function testText({ asked }: Asking, run: TestProgress): string {
  if (run.running)
    return asked === "stop" ? "Stopping…" : `Stop, keep ${whole(Math.floor(run.done))}`;
  if (asked === "test") return "Starting…";
  if (run.number === 0) return "Test";
  return run.untested > 0 ? "Go on" : "Test again";
}
