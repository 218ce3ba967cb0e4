/** What one view of a bench knows that makes its material first, and then tests models on it. */
import type { Reply } from "../../generated/shared";
import { RunStore } from "../bench/runStore";
import {
  type Hand,
  type Spot,
  sameSpot,
  spotNow,
  type TestedAnswer,
  type TestedInputs,
} from "../bench/tested";
import { besideSpot, type SquaresOfModels } from "./rows";

export abstract class TestedStore<
  I extends TestedInputs,
  A extends TestedAnswer,
  L extends Hand,
  O extends object,
> extends RunStore<I, A, L, O> {
  /** Starts the test, or stops it; what is scored is kept. */
  toggle(): Promise<void> {
    return this.#send(this.run.running ? "stop" : "test");
  }

  /** Tests what has no score yet. */
  test(): Promise<void> {
    return this.#send("test");
  }

  /** Chooses another model too, and tests it once Python knows of it. */
  async addModel(name: string): Promise<void> {
    this.set({ models: [...this.view.inputs.models, name] } as Partial<I>);
    await new Promise<void>((done) => {
      const stop = this.subscribe(() => {
        if (this.view.waiting) return;
        stop();
        done();
      });
    });
    await this.test();
  }

  go(step: number): void {
    this.set({ step } as Partial<I>);
    this.#updateHand({ hovered: null });
  }

  /** Changes how the results are looked at. */
  look(look: Partial<L>): void {
    this.update({ ...look, hovered: null });
  }

  hover(spot: Spot | null): void {
    if (sameSpot(spot, this.view.hovered)) return;
    this.#updateHand({ hovered: spot });
    this.show(spotNow(this.view));
  }

  /** Holds a square, whose card then stays; holding it once more lets it go. */
  hold(spot: Spot): void {
    this.#updateHand({ held: sameSpot(spot, this.view.held) ? null : spot });
    this.show(spotNow(this.view));
  }

  /** Holds the square beside the one in sight. */
  step({ models, g }: SquaresOfModels, by: -1 | 1): void {
    const to = besideSpot(models, g.raster, spotNow(this.view), by);
    if (to) this.point(to);
  }

  /** Points at a square, and holds it; null lets go. */
  point(spot: Spot | null): void {
    this.#updateHand({ held: spot, hovered: null });
    this.show(spotNow(this.view));
  }

  /** Asks Python for the first step with the same lists; it sets the step itself. */
  async startAgain(): Promise<void> {
    const reply = await this.command("start-again");
    if (reply.ok) this.update(this.freed());
  }

  async restore(ids: readonly string[]): Promise<void> {
    const reply = await this.command("restore", { ids });
    if (!reply.ok) return;
    const undoable = this.view.undoable.filter((id) => !ids.includes(id));
    this.#updateHand({ undoable });
  }

  /** Takes material away by a command; it is listed with what is not used. */
  protected async putAway(
    ids: readonly string[],
    command: string,
    args?: Record<string, unknown>,
  ): Promise<Reply> {
    const reply = await this.command(command, args);
    if (reply.ok) this.#updateHand({ undoable: ids });
    return reply;
  }

  #updateHand(changes: Partial<Hand>): void {
    this.update(changes as unknown as Partial<L>);
  }

  /** Tells Python which square it is to take apart. */
  protected abstract show(spot: Spot | null): void;

  /** What the hand does when the bench starts again. */
  protected freed(): Partial<L> {
    return { held: null, hovered: null, undoable: [], search: "" } as unknown as Partial<L>;
  }

  /** What the hand does once the material is `ids`, or their scores have come. */
  protected among(
    ids: readonly string[],
    scored: boolean,
  ): Pick<Hand, "order" | "hovered" | "held"> {
    const { order, hovered, held } = this.view;
    const known = new Set(ids);
    const still = (spot: Spot | null) => (spot && known.has(spot.id) ? spot : null);
    return { order: scored ? ids : order, hovered: still(hovered), held: still(held) };
  }

  #send(word: "test" | "stop"): Promise<void> {
    return this.begin(word, (name) => this.ask(name));
  }
}
