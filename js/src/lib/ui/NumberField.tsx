import { useLayoutEffect, useState } from "preact/hooks";
import { useUid } from "../uid";

/** What a number may be: the generated `LIMITS` of its input or command, from Python. */
export interface Limits {
  min: number;
  max: number;
  /** Of the arrows. */
  step: number;
  /** Whether the lowest itself is excluded. */
  above: boolean;
  integer: boolean;
}

interface Props extends Limits {
  label: string;
  testid: string;
  value: number;
  onChange: (value: number) => void;
}

/** A number that is taken when it is finished; one that cannot be is marked, and nothing changes. */
export function NumberField(props: Props) {
  const { label, testid, value, step, min, max } = props;
  const id = useUid();
  const [text, setText] = useState(String(value));
  const [problem, setProblem] = useState("");
  useLayoutEffect(() => {
    setText(String(value));
    setProblem("");
  }, [value]);
  const take = (typed: string) => {
    setText(typed);
    const wrong = wrongNumber(typed, props);
    setProblem(wrong);
    if (!wrong) props.onChange(Number(typed));
  };
  return (
    <div class="control number">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="field"
        type="number"
        inputMode="decimal"
        step={step}
        min={min}
        max={max}
        data-testid={testid}
        value={text}
        aria-invalid={problem !== ""}
        aria-describedby={`${id}-problem`}
        // What is being typed stays when something else is drawn anew.
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => take(event.currentTarget.value)}
      />
      <small id={`${id}-problem`} class="number-problem" role={problem ? "alert" : undefined}>
        {problem}
      </small>
    </div>
  );
}

/** Why a text is no number that can be taken; empty where it is one. */
export function wrongNumber(
  typed: string,
  { min, max, above, integer }: Omit<Limits, "step">,
): string {
  const value = Number(typed);
  if (typed.trim() === "" || !Number.isFinite(value)) return "Type a number.";
  if (integer && !Number.isInteger(value)) return "Type a whole number.";
  if (above ? value <= min : value < min)
    return above ? `Must be above ${min}.` : `At least ${min.toLocaleString("en")}.`;
  return value > max ? `At most ${max.toLocaleString("en")}.` : "";
}

interface Input extends Limits {
  testid: string;
  value: number;
  onChange: (value: number) => void;
}

/** The field of a share, in per cent or points. */
export function inPercent({ value, min, max, step, onChange, ...rest }: Input): Input {
  const percent = (share: number) => Number((100 * share).toFixed(1));
  return {
    ...rest,
    value: percent(value),
    min: percent(min),
    max: percent(max),
    step: percent(step),
    onChange: (typed) => onChange(typed / 100),
  };
}
