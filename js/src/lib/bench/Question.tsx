import type { ComponentChildren } from "preact";

interface Props {
  children: ComponentChildren;
  look?: string;
  title?: string;
}

/** The bench's question: heading of the page in the served app, of a part elsewhere. */
export function Question({ children, look = "", title }: Props) {
  const Heading = isWholePage() ? "h1" : "h2";
  return (
    <Heading class={`question ${look}`.trim()} data-testid="question" title={title}>
      {children}
    </Heading>
  );
}

/** Whether the bench is what the page is about: the app's shell names its main part. */
export const isWholePage = () => document.querySelector("main#content") !== null;
