/** What one view of a bench knows whose runs take long: what the hand has asked of the run. */
import type { Reply } from "../../generated/shared";
import type { BenchAnswer, BenchPicture } from "./records";
import { BenchStore } from "./store";

interface RunAnswer extends BenchAnswer {
  picture: (BenchPicture & { run: { number: number; running: boolean } }) | null;
}

const NO_RUN = { number: 0, running: false };

/** Asked to begin (in the bench's own word) or to stop, and Python has not yet. */
export interface Asked {
  asked: string | null;
}

export abstract class RunStore<
  I extends object,
  A extends RunAnswer,
  L extends Asked,
  O extends object,
> extends BenchStore<I, A, L, O> {
  /** The run on the screen when another was asked for: that one may be over when it is seen. */
  #before = 0;

  /** Asks to begin, or to stop the run on the screen; what is done is kept. */
  protected async begin(
    asked: NonNullable<L["asked"]>,
    send: (name: string) => Promise<Reply>,
  ): Promise<void> {
    if (this.view.asked === asked) return;
    this.#before = this.run.number;
    this.update({ asked, notice: null } as unknown as Partial<L>);
    const { ok, message } = await send(asked);
    if (!ok) this.update({ asked: null, notice: { text: message, ok } } as unknown as Partial<L>);
  }

  protected get run() {
    return this.view.answer.picture?.run ?? NO_RUN;
  }

  /** A run that was asked for shows itself, and one that was to stop has ended. */
  protected override afterAnswer({ state }: A): Partial<L> {
    const { number, running } = this.run;
    const begun = running || number !== this.#before || state === "error";
    const over = this.view.asked === "stop" ? !running : begun;
    return (over ? { asked: null } : {}) as Partial<L>;
  }
}
