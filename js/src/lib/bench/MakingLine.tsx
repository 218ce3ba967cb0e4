import { about } from "../format";
import { Progress } from "./RunLine";
import type { AnyStore } from "./store";

interface Props {
  store: AnyStore;
  /** `total` is 0 when nothing goes on. */
  making: { done: number; total: number; message: string; seconds_left: number | null };
  /** What goes on, where Python does not say: "Writing". */
  label: string;
  /** The command that stops it, and what stands on its button. */
  stop: string;
  text: string;
}

/** How far making is, with a way to stop; what is made is kept. */
export function MakingLine({ store, making, label, stop, text }: Props) {
  const { done, total, message, seconds_left } = making;
  if (total === 0) return null;
  return (
    <div class="making in-line t12" data-testid="making">
      <span>
        {message || label}: {done} of {total}
        {seconds_left !== null && `, ${about(seconds_left)} left`}
      </span>
      <Progress done={done} total={total} label={label} />
      <button
        type="button"
        class="button"
        data-testid={stop}
        onClick={() => void store.quietly(stop)}
      >
        {text}
      </button>
    </div>
  );
}
