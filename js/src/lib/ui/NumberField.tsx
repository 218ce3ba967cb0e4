import { useLayoutEffect, useState } from "preact/hooks";
import { useUid } from "../uid";

interface Props {
  label: string;
  testid: string;
  value: number;
  /** Of the arrows; 1 unless it is said. */
  step?: number;
  /** Lowest and highest value; above the lowest where that is not `open`. */
  min?: number;
  max?: number;
  above?: boolean;
  integer?: boolean;
  onChange: (value: number) => void;
}

/** A number that is taken when it is finished; one that cannot be is marked, and nothing changes. */
export function NumberField(props: Props) {
  const { label, testid, value, step = 1, min, max } = props;
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

type Limits = Pick<Props, "min" | "max" | "above" | "integer">;

/** Why a text is no number that can be taken; empty where it is one. */
export function wrongNumber(typed: string, { min, max, above, integer }: Limits): string {
  const value = Number(typed);
  if (typed.trim() === "" || !Number.isFinite(value)) return "Type a number.";
  if (integer && !Number.isInteger(value)) return "Type a whole number.";
  if (min !== undefined && (above ? value <= min : value < min))
    return above ? `Must be above ${min}.` : `At least ${min}.`;
  if (max !== undefined && value > max) return `At most ${max}.`;
  return "";
}
