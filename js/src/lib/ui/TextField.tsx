import { useUid } from "../uid";

interface Props {
  label: string;
  testid: string;
  /** Is shown as dots, and remembered by no browser. */
  secret?: boolean;
  value: string;
  placeholder?: string;
  onInput: (value: string) => void;
}

export function TextField({ label, testid, secret, value, placeholder, onInput }: Props) {
  const id = useUid();
  const common = {
    id,
    class: "field",
    autocapitalize: "off",
    spellcheck: false,
    "data-testid": testid,
    placeholder,
    value,
    onInput: (event: { currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  } as const;
  return (
    <div class="control">
      <div class="control-head">
        <label for={id}>{label}</label>
      </div>
      {secret ? (
        <input {...common} type="password" autocomplete="new-password" />
      ) : (
        <input {...common} type="text" autocomplete="off" />
      )}
    </div>
  );
}
