import type { ComponentChildren } from "preact";
import { TextField } from "../ui/TextField";

interface Props {
  base: string;
  onBase: (base: string) => void;
  secret: string;
  onSecret: (secret: string) => void;
  /** What stands between both. */
  children?: ComponentChildren;
}

/** The address of an endpoint, and a key that is used once. */
export function EndpointFields({ base, onBase, secret, onSecret, children }: Props) {
  return (
    <>
      <TextField
        label="Base URL"
        testid="base-url"
        value={base}
        placeholder="that of OpenAI"
        onInput={onBase}
      />
      {children}
      <TextField
        label="Key"
        testid="key"
        secret
        value={secret}
        placeholder="if the address needs one"
        onInput={onSecret}
      />
      <p class="quiet">The key is used for this once: it is stored nowhere, and no log has it.</p>
    </>
  );
}
