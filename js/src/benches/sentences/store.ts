/** What one view of the sentence bench knows, besides what every bench does. */
import {
  type Answer,
  FIELDS,
  type Inputs,
  NO_ANSWER,
  NO_PICTURE,
  OUTPUTS,
  type Outputs,
  type PairRow,
  type SentenceBenchState,
  type Sentences,
} from "../../generated/sentences";
import type { Reply } from "../../generated/shared";
import type { Host } from "../../host";
import { answerReader } from "../../lib/bench/records";
import type { BenchView } from "../../lib/bench/store";
import { type Hand, type Spot, spotNow } from "../../lib/bench/tested";
import type { Clock } from "../../lib/coalesce";
import { TestedStore } from "../../lib/three-steps/store";

type State = SentenceBenchState;

export type { Inputs };

export type Outcome = "all" | "s" | "a" | "t" | "f";
export type Sort = "list" | "share" | "name";
export type Within = "odds" | "place";
export type Kind = "attributes" | "bias_types";

/** How the results are looked at. */
export interface Look {
  outcome: Outcome;
  search: string;
  sort: Sort;
  within: Within;
  kind: Kind;
}

interface SentenceHand extends Look, Hand {
  /** The pair whose versions are edited in the dock. */
  editing: Spot | null;
}

export type View = BenchView<Inputs, Answer> & Outputs & SentenceHand;

export class Store extends TestedStore<Inputs, Answer, SentenceHand, Outputs> {
  constructor(to: Host<State>, clock?: Clock) {
    const local: SentenceHand = {
      outcome: "all",
      search: "",
      sort: "list",
      within: "odds",
      kind: "attributes",
      hovered: null,
      held: null,
      editing: null,
      order: idsOf(to.get("sentences") ?? OUTPUTS.sentences),
      asked: null,
      undoable: [],
    };
    super(to, { ...FIELDS, local, normal: normalAnswer }, clock);
  }

  override go(step: number): void {
    super.go(step);
    this.update({ editing: null });
  }

  release(): void {
    this.update({ held: null, editing: null });
    this.show(spotNow(this.view));
  }

  /** Opens both versions of a pair in the dock, which then is held; null closes them. */
  edit(spot: Spot | null): void {
    this.update({ editing: spot, ...(spot ? { held: spot, hovered: null } : {}) });
    this.show(spotNow(this.view));
  }

  reject(pairs: readonly string[]): Promise<Reply> {
    return this.putAway(pairs, "reject", { pairs });
  }

  /** Takes all pairs away. */
  clear(): Promise<Reply> {
    return this.putAway(idsOf(this.view.sentences), "clear");
  }

  protected override show(spot: Spot | null): void {
    this.set({ pair: spot?.id ?? "", ...(spot ? { detail_model: spot.model } : {}) });
  }

  protected override freed(): Partial<SentenceHand> {
    return { ...super.freed(), editing: null };
  }

  protected override afterOutput(name: keyof Outputs): Partial<SentenceHand> {
    if (name !== "sentences" && name !== "scores") return {};
    const { sentences, scores, editing } = this.view;
    const ids = idsOf(sentences);
    return {
      ...this.among(ids, scores.sentences === sentences.version),
      editing: editing && ids.includes(editing.id) ? editing : null,
    };
  }
}

const idsOf = ({ pairs }: Sentences) => pairs.map((pair) => pair.id);

const normalAnswer = answerReader(NO_ANSWER, NO_PICTURE);

/** Names of the two groups, also before there is a picture. */
export function groupNames({ answer, inputs }: Pick<View, "answer" | "inputs">): [string, string] {
  if (answer.picture) return answer.picture.groups;
  const [one, two] = inputs.lists.filter((list) => list.kind === "groups");
  return [one?.name ?? "group 1", two?.name ?? "group 2"];
}

export const pairOf = (view: Pick<View, "sentences">, id: string): PairRow | undefined =>
  view.sentences.pairs.find((pair) => pair.id === id);
