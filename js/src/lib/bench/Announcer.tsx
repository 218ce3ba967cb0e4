import { useEffect, useState } from "preact/hooks";
import type { AnyView } from "./store";

const QUIET = 700;

/** Reads verdicts, messages and replies aloud, once they have stood still; never during a drag. */
export function Announcer({ view, dragging = false }: { view: AnyView; dragging?: boolean }) {
  const [said, setSaid] = useState("");
  const { answer, notice, waiting } = view;
  const verdict = answer.picture?.verdict.map((s) => s.text).join("") ?? "";
  const hasMessage = answer.message && answer.state !== "ready";
  const text = hasMessage ? `${answer.message?.title}. ${answer.message?.text}` : verdict;
  useEffect(() => {
    if (dragging || waiting) return;
    const timer = setTimeout(() => setSaid(text), QUIET);
    return () => clearTimeout(timer);
  }, [text, dragging, waiting]);
  return (
    <>
      <div class="visually-hidden" aria-live="polite" data-testid="live">
        {said}
      </div>
      <div class="visually-hidden" role="status">
        {notice?.text}
      </div>
    </>
  );
}
