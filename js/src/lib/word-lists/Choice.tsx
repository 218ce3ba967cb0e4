import { Chevron } from "../ui/Icons";

interface Props<V extends string> {
  label: string;
  testid: string;
  value: V;
  options: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
}

/** A selector without a line of its own above it. */
export function Choice<V extends string>({ label, testid, value, options, onChange }: Props<V>) {
  return (
    <div class="select choice">
      <select
        class="field"
        aria-label={label}
        data-testid={testid}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value as V)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Chevron />
    </div>
  );
}
