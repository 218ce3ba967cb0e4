import { isAlone, type View } from "./store";

/** What the marks mean. */
export function Legend({ view }: { view: View }) {
  const yes = view.card.answers[0] ?? "yes";
  const alone = isAlone(view);
  const first = alone ? `“${yes}”` : (view.card.groups[1]?.name ?? "");
  const items = [
    ["dot", `${first} listed first`],
    ["ring", "listed second"],
    ["diamond", "cannot say"],
    ["cross", "refused, unreadable or in another language"],
  ] as const;
  return (
    <p class="legend wrap-row ink2 t11" data-testid="legend">
      <span>One mark per trial:</span>
      {items.map(([look, text]) => (
        <span key={look}>
          <svg
            width={10}
            height={10}
            viewBox="-5 -5 10 10"
            aria-hidden="true"
            class={`sign-${look}`}
          >
            <path d={SIGNS[look]} />
          </svg>{" "}
          {text}
        </span>
      ))}
    </p>
  );
}

const CIRCLE = "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z";
const SIGNS = {
  dot: CIRCLE,
  ring: CIRCLE,
  diamond: "M-3.5 0L0-3.5L3.5 0L0 3.5z",
  cross: "M-3-3L3 3M3-3L-3 3",
};
