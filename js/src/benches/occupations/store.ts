/** What one view of the occupations bench knows, besides what every bench does. */
import {
  type Agreement,
  type Answer,
  type Contrast,
  FIELDS,
  type Inputs,
  NO_ANSWER,
  NO_CONTRAST,
  NO_PICTURE,
  type OccupationsBenchState,
  type Outputs,
} from "../../generated/occupations";
import type { Reply } from "../../generated/shared";
import type { Host } from "../../host";
import { answerReader } from "../../lib/bench/records";
import { BenchStore, type BenchView } from "../../lib/bench/store";
import type { Clock } from "../../lib/coalesce";

type State = OccupationsBenchState;

export type { Inputs };

interface Hand {
  /** The word under the pointer or the keys, by its index in the picture. */
  hovered: number | null;
  /** In which view it is hovered: the card stands beside the rows only. */
  hoveredIn: "rows" | "scatter";
  /** A click or Space holds a word's card open. */
  held: number | null;
  /** The psychometric bench is open below, in a notebook. */
  opened: boolean;
}

export type View = BenchView<Inputs, Answer> & Outputs & Hand;

const AT_REST = {
  hovered: null,
  hoveredIn: "rows" as const,
  held: null,
  opened: false,
};
/** Inputs that only change how the same numbers are looked at. */
const LOOKS: (keyof Inputs)[] = ["sort", "shown", "search", "beside", "word", "measure"];

export class Store extends BenchStore<Inputs, Answer, Hand, Outputs> {
  constructor(
    readonly to: Host<State>,
    clock?: Clock,
  ) {
    const local: Hand = AT_REST;
    super(to, { ...FIELDS, local, normal: normalAnswer }, clock);
  }

  hover(index: number | null, hoveredIn: Hand["hoveredIn"] = "rows"): void {
    if (index !== this.view.hovered) this.update({ hovered: index, hoveredIn });
  }

  /** Holds a word: its card stays, it is marked in every view, and Python knows it. */
  hold(index: number): void {
    const word = this.view.answer.picture?.words[index];
    if (index === this.view.held || word === undefined) this.release();
    else {
      this.update({ held: index });
      this.set({ word });
    }
  }

  release(): void {
    if (this.view.held !== null) this.update({ held: null });
    if (this.view.inputs.word) this.set({ word: "" });
  }

  /** Opens a word in the psychometric bench below; a place with an address has a link instead. */
  async open(word: string): Promise<Reply> {
    const reply = await this.command("open", { word });
    if (reply.ok) this.update({ opened: true });
    return reply;
  }

  close(): void {
    this.update({ opened: false });
  }

  /** Other words or groups make other rows: what the hand held is another one now. */
  protected override afterSet(moved: (keyof Inputs)[]): Partial<Hand> {
    return moved.every((name) => LOOKS.includes(name)) ? {} : { held: null };
  }

  protected override afterAnswer(answer: Answer): Partial<Hand> {
    const n = answer.picture?.words.length ?? 0;
    const within = (index: number | null) => (index !== null && index < n ? index : null);
    return { hovered: within(this.view.hovered), held: within(this.view.held) };
  }
}

export const normalAnswer = answerReader(NO_ANSWER, NO_PICTURE, { contrasts: NO_CONTRAST });

/** The contrasts on the screen: one, or all side by side. */
export function contrastsOf({ answer, inputs }: View): Contrast[] {
  const all = answer.picture?.contrasts ?? [];
  if (inputs.contrast < 0) return all;
  const one = all[Math.min(inputs.contrast, all.length - 1)];
  return one ? [one] : [];
}

/** The contrast that the words' colours, the scatter and the verdict are about. */
export const mainContrast = (view: View): Contrast | null => contrastsOf(view)[0] ?? null;

export function agreementOf({ answer, inputs }: View): Agreement | null {
  const { picture } = answer;
  return (inputs.measure === "jnd" ? picture?.agreement_jnd : picture?.agreement_pse) ?? null;
}

/** Names of the two groups: the picture's own, else those of the inputs. */
export function groupNames(view: View): [string, string] {
  const contrast = view.answer.state === "error" ? null : mainContrast(view);
  if (contrast) return [contrast.group_1, contrast.group_2];
  const [one, two] = view.inputs.groups;
  return [one?.name || "group 1", two?.name || "group 2"];
}
