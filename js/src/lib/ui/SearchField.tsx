interface Props {
  label: string;
  testid: string;
  /** What is searched: "sentences". */
  hint: string;
  value: string;
  onInput: (value: string) => void;
}

/** Finds things by their words. */
export function SearchField({ label, testid, hint, value, onInput }: Props) {
  return (
    <label class="search-field">
      <svg class="glass" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <circle cx="5" cy="5" r="3.5" />
        <path d="m8 8 3 3" />
      </svg>
      <input
        type="search"
        class="field"
        dir="auto"
        placeholder={hint}
        aria-label={label}
        data-testid={testid}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
