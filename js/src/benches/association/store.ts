/** What one view of the association bench knows, besides what every bench does. */
import {
  type Answer,
  type AssociationBenchState,
  DEFAULTS,
  FIELDS,
  type Inputs,
  NO_ANSWER,
  NO_PICTURE,
  NO_SIDE,
  type Outputs,
  type Picture,
  type Posterior,
  type Side,
  type Weat,
} from "../../generated/association";
import type { Host } from "../../host";
import { answerReader } from "../../lib/bench/records";
import { BenchStore, type BenchView } from "../../lib/bench/store";
import type { Clock } from "../../lib/coalesce";

type State = AssociationBenchState;

export type { Inputs };

export const PAPER_PRIORS = DEFAULTS.priors;

/** What the pointer or the keys are on: a connection of a protected word, or one of its points. */
export interface Spot {
  view: "points" | "posterior";
  /** 0 the subject, 1 the same after debiasing. */
  side: 0 | 1;
  word: number;
  connection: number;
  /** Index among the distances of that word and connection. */
  point: number | null;
}

interface Hand {
  hovered: Spot | null;
  /** A click or Space holds it. */
  held: Spot | null;
}

export type View = BenchView<Inputs, Answer> & Outputs & Hand;

/** Inputs that only change how the same numbers are looked at. */
const LOOKS: (keyof Inputs)[] = ["model", "step", "shown", "word", "ddof", "alternative"];

export class Store extends BenchStore<Inputs, Answer, Hand, Outputs> {
  constructor(to: Host<State>, clock?: Clock) {
    const local = { hovered: null, held: null };
    super(to, { ...FIELDS, local, normal: normalAnswer }, clock);
  }

  hover(spot: Spot | null): void {
    if (!sameSpot(spot, this.view.hovered)) this.update({ hovered: spot });
  }

  /** Holds a spot: it stays marked in every view, and Python knows its word. */
  hold(spot: Spot): void {
    const word = this.view.answer.picture?.protected[spot.word]?.word;
    if (word === undefined || sameSpot(spot, this.view.held)) this.release();
    else {
      this.update({ held: spot });
      this.set({ word });
    }
  }

  release(): void {
    if (this.view.held) this.update({ held: null });
    if (this.view.inputs.word) this.set({ word: "" });
  }

  /** Other lists make other points: what the hand held is another one now. */
  protected override afterSet(moved: (keyof Inputs)[]): Partial<Hand> {
    return moved.every((name) => LOOKS.includes(name)) ? {} : { held: null };
  }

  protected override afterAnswer({ picture }: Answer): Partial<Hand> {
    const within = (spot: Spot | null) => (spot && isWithin(spot, picture) ? spot : null);
    return { hovered: within(this.view.hovered), held: within(this.view.held) };
  }
}

const PARTS = ["view", "side", "word", "connection", "point"] as const;

export const sameSpot = (a: Spot | null, b: Spot | null) =>
  a === b || (a !== null && b !== null && PARTS.every((part) => a[part] === b[part]));

function isWithin({ side, word, connection, point }: Spot, picture: Picture | null): boolean {
  const of = picture && (side === 1 ? picture.after : picture.before);
  const points = of?.distances[word]?.[connection];
  return points !== undefined && (point === null || point < points.length);
}

export const normalAnswer = answerReader(NO_ANSWER, NO_PICTURE, { after: NO_SIDE });

/** The subject, and the same after debiasing where that is asked. */
export const sidesOf = (picture: Picture | null): Side[] =>
  picture ? (picture.after ? [picture.before, picture.after] : [picture.before]) : [];

export const posteriorOf = (
  side: Side | undefined | null,
  model: Inputs["model"],
): Posterior | null => side?.posteriors.find((p) => p.model === model) ?? null;

/** The estimates on the screen: those of the chosen model, until they come those of the last one. */
export const estimatesOf = (side: Side | undefined | null, model: Inputs["model"]) =>
  side?.posteriors.find((p) => p.model === model && p.words.length > 0) ??
  side?.posteriors.find((p) => p.words.length > 0) ??
  null;

export const weatsOf = (picture: Picture | null): Weat[] =>
  sidesOf(picture).flatMap((side) => (side.weat ? [side.weat] : []));
