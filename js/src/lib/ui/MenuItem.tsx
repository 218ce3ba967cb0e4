import type { ComponentChildren } from "preact";

interface Props {
  testid: string;
  disabled?: boolean;
  onPick: () => void;
  children: ComponentChildren;
}

/** A line of a card that offers things to do. */
export function MenuItem({ testid, disabled, onPick, children }: Props) {
  return (
    <button
      type="button"
      class="menu-item"
      data-testid={testid}
      disabled={disabled}
      onClick={onPick}
    >
      {children}
    </button>
  );
}
