/** What one view of the rating bench knows, besides what every bench does. */
import {
  type DistributionState,
  FIELDS,
  type Inputs,
  type LanguageFinding,
  type MatrixRow,
  NO_LANGUAGE_FINDING,
  NO_RATING_ANSWER,
  NO_RATING_PICTURE,
  NO_RATING_RUN,
  OUTPUTS,
  type Outputs,
  type RatingAnswer,
  type RatingBenchState,
  type RatingRun,
} from "../../generated/rating";
import type { Host } from "../../host";
import { answerReader } from "../../lib/bench/records";
import { RunStore } from "../../lib/bench/runStore";
import type { BenchView } from "../../lib/bench/store";
import type { Clock } from "../../lib/coalesce";
import { heldEven } from "./picture/shares";

type State = RatingBenchState;

export type { Inputs };

export type RatingName = NonNullable<MatrixRow["corrected"]>;

/** A cell of the matrix. */
export interface Spot {
  language: string;
  block: number;
}

export type TextFilter = "all" | "changed" | "unresolved";

interface Hand {
  /** What the hand has asked for and Python has not begun yet. */
  asked: "run" | "stop" | null;
  /** The block whose input is under the hand. */
  dragging: number | null;
  /** The block whose input the pointer or the keys are on. */
  pointed: number | null;
  /** The cell under the pointer. */
  hovered: Spot | null;
  filter: TextFilter;
  /** The chosen pair of ratings: first and second. */
  pair: readonly [string, string] | null;
  /** What the blocks were run with, while some are predicted. */
  ran: readonly DistributionState[];
}

export type View = BenchView<Inputs, RatingAnswer> & Outputs & Hand;

export class Store extends RunStore<Inputs, RatingAnswer, Hand, Outputs> {
  constructor(to: Host<State>, clock?: Clock) {
    const answer = normalAnswer(to.get("answer"));
    const local: Hand & Pick<Outputs, "detail"> = {
      detail: untitled(to.get("detail") ?? OUTPUTS.detail),
      asked: null,
      dragging: null,
      pointed: null,
      hovered: null,
      filter: "all",
      pair: null,
      ran: ranWith(answer, []),
    };
    super(to, { ...FIELDS, local, normal: normalAnswer }, clock);
  }

  /** Starts the run, or stops it; what is answered is kept. */
  toggle(): Promise<void> {
    return this.begin(this.run.running ? "stop" : "run", (name) => this.ask(name));
  }

  /** New shares of a block; it is called by them where it was before. */
  shares(block: number, shares: readonly number[]): void {
    const distributions = this.view.inputs.distributions.map((one, i) =>
      i === block ? { ...one, shares: [...shares] } : one,
    );
    this.set({ distributions: named(distributions, block) });
  }

  /** New shares by hand: an unbiased block ends at the rule's margin. */
  move(block: number, shares: readonly number[]): void {
    const one = this.view.inputs.distributions[block]!;
    this.shares(block, heldEven(one, shares, this.view.inputs.equivalence_margin));
  }

  drag(dragging: number | null): void {
    this.update({ dragging });
  }

  point(pointed: number | null): void {
    if (pointed !== this.view.pointed) this.update({ pointed });
  }

  hover(hovered: Spot | null): void {
    const now = this.view.hovered;
    if (now?.language !== hovered?.language || now?.block !== hovered?.block)
      this.update({ hovered });
  }

  filter(filter: TextFilter): void {
    this.update({ filter });
  }

  pair(pair: readonly [string, string] | null): void {
    this.update({ pair });
  }

  protected override offered(): boolean {
    return this.view.services.length > 0;
  }

  protected override afterOutput(name: keyof Outputs): Partial<Outputs> {
    return name === "detail" ? { detail: untitled(this.view.detail) } : {};
  }

  protected override afterAnswer(answer: RatingAnswer): Partial<Hand> {
    return { ...super.afterAnswer(answer), ran: ranWith(answer, this.view.ran) };
  }
}

/** Where there is no language in the middle, nothing is named after it. */
const untitled = <T extends { language: string | null; title: string }>(one: T): T =>
  one.language ? one : { ...one, title: "" };

const readAnswer = answerReader(NO_RATING_ANSWER, NO_RATING_PICTURE);

function normalAnswer(given: Partial<RatingAnswer> | null | undefined): RatingAnswer {
  const answer = readAnswer(given);
  const { picture } = answer;
  return { ...answer, picture: picture && { ...picture, rows: picture.rows.map(untitled) } };
}

const predicted = (rows: readonly MatrixRow[]) =>
  rows.some((row) => row.cells.some((cell) => cell.predicted));

/** The blocks of an answer where none is predicted; else those from before. */
function ranWith({ picture }: RatingAnswer, before: readonly DistributionState[]) {
  return picture && picture.rows.length > 0 && !predicted(picture.rows) ? picture.blocks : before;
}

export const runOf = ({ answer }: Pick<View, "answer">): RatingRun =>
  answer.picture?.run ?? NO_RATING_RUN;

export const findingOf = ({ answer }: Pick<View, "answer">): LanguageFinding =>
  answer.picture?.finding ?? NO_LANGUAGE_FINDING;

export const serviceOf = ({ services, inputs }: Pick<View, "services" | "inputs">) =>
  services.find((service) => service.name === inputs.service);

/** The language whose trees and texts are shown. */
export const chosenLanguage = ({ inputs, detail }: Pick<View, "inputs" | "detail">) =>
  inputs.language || detail.language || "";

/** Whether it is asked through middle languages; a translator that starts now has them later. */
export function isTranslator(view: Pick<View, "services" | "inputs">): boolean {
  const service = serviceOf(view);
  return !service || service.languages.length > 0 || service.kind === "translator";
}

export const attributeOf = ({
  attribute_options,
  inputs,
}: Pick<View, "attribute_options" | "inputs">) =>
  attribute_options.find((attribute) => attribute.name === inputs.attribute);

/** Names of the values, also before there is a picture. */
export function valuesOf(
  view: Pick<View, "attribute_options" | "inputs" | "answer">,
): readonly string[] {
  const { picture } = view.answer;
  const known = attributeOf(view)?.values;
  if (known && known.length > 0) return known;
  return picture?.attribute === view.inputs.attribute ? picture.values : [];
}

/** Whether some block is rated by other shares than it was run with. */
export const isPredicted = ({ answer }: Pick<View, "answer">) =>
  predicted(answer.picture?.rows ?? []);

/** Names that say the shares: "50/50", "40/40/20". */
export const SHARES_NAME = /^\d+(\/\d+)+( \(\d+\))?$/;

/** The shares as Python names them: the last value only where it has a share. */
export function nameOf(shares: readonly number[]): string {
  const whole = shares.map((share) => String(Math.round(100 * share)));
  return (shares.at(-1) ? whole : whole.slice(0, -1)).join("/");
}

/** A block that was called by its shares is so again; no two have the same name. */
function named(distributions: DistributionState[], block: number): DistributionState[] {
  const one = distributions[block];
  if (!one || !SHARES_NAME.test(one.name)) return distributions;
  const taken = new Set(distributions.filter((_, i) => i !== block).map((d) => d.name));
  const plain = nameOf(one.shares);
  let name = plain;
  for (let n = 2; taken.has(name); n++) name = `${plain} (${n})`;
  return distributions.map((d, i) => (i === block ? { ...d, name } : d));
}

/** The shares of a block as they are now. */
export const sharesOf = (store: Store, block: number): readonly number[] =>
  store.view.inputs.distributions[block]?.shares ?? [];
