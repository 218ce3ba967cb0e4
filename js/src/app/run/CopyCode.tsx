/** Puts the Python of the result on the clipboard. */
import { useState } from "preact/hooks";

export function CopyCode() {
  const [copied, setCopied] = useState("");
  const copy = async () => {
    const code = document.getElementById("code")?.textContent ?? "";
    try {
      await navigator.clipboard.writeText(code);
      setCopied("Copied");
    } catch {
      setCopied("Not copied: select the text instead");
    }
  };
  return (
    <>
      <span role="status">{copied}</span>
      <button type="button" class="button" onClick={copy}>
        Copy as code
      </button>
    </>
  );
}
